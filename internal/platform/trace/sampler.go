package trace

import (
	"fmt"
	"strconv"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// CheckSampler validates the values of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG.
func CheckSampler(name, arg string) error {
	_, err := samplerOf(name, arg)
	return err
}

func samplerOf(name, arg string) (sdk.Sampler, error) {
	ratio := 1.0
	if name == "traceidratio" || name == "parentbased_traceidratio" {
		var err error
		if ratio, err = ratioOf(arg); err != nil {
			return nil, err
		}
	}
	switch name {
	case "", "parentbased_always_on":
		return sdk.ParentBased(sdk.AlwaysSample()), nil
	case "parentbased_always_off":
		return sdk.ParentBased(sdk.NeverSample()), nil
	case "parentbased_traceidratio":
		return sdk.ParentBased(sdk.TraceIDRatioBased(ratio)), nil
	case "traceidratio":
		return sdk.TraceIDRatioBased(ratio), nil
	case "always_on":
		return sdk.AlwaysSample(), nil
	case "always_off":
		return sdk.NeverSample(), nil
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER is %q; use always_on, always_off, traceidratio, or one of these with parentbased_ in front",
			name)
	}
}

func ratioOf(arg string) (float64, error) {
	if arg == "" {
		return 1, nil
	}
	r, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(r >= 0 && r <= 1) {
		return 0, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q; use a share from 0 to 1, such as 0.1", arg)
	}
	return r, nil
}

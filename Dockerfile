# syntax=docker/dockerfile:1
# The dashboard, then the program, then an image that holds nothing else: no
# shell, no package manager, nobody but a user without rights.
#
# Base images are named by tag here, so that a build takes their latest fixes. A
# release names them by digest (docs/deploy.md): --build-arg GO_IMAGE=golang:1.26-bookworm@sha256:…
ARG NODE_IMAGE=node:22-bookworm-slim
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/ ./
RUN npm run build

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd/ ./cmd/
COPY internal/ ./internal/
COPY jobs/ ./jobs/
COPY web/embed.go ./web/
COPY --from=web /src/web/dist/ ./web/dist/
RUN go run ./internal/platform/licence web/dist/licences.txt
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -tags=grpcnotrace \
        -ldflags="-s -w -X github.com/edgeposture/edgeposture/internal/app.release=${VERSION}" \
        -o /out/bin/edgeposture ./cmd/edgeposture && \
    mkdir -p /out/data && chmod 0700 /out/data

FROM ${BASE_IMAGE}
ARG VERSION=dev
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="Edgeposture" \
      org.opencontainers.image.description="Tells how exposed a Cloudflare account is, why, and how to close it safely" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/edgeposture/edgeposture" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=build /out/bin/ /usr/local/bin/
COPY --from=build --chown=65532:65532 /out/data/ /data/
# HOST is not set: only the API listens, and what others can reach needs SERVICE_API_KEY.
ENV DATA_DIR=/data PORT=8080
EXPOSE 8080
VOLUME ["/data"]
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/edgeposture", "serve", "health"]
ENTRYPOINT ["/usr/local/bin/edgeposture"]
CMD ["serve"]

package snapshot

// WaitingRooms holds the waiting rooms of all zones.
const WaitingRooms Key[[]WaitingRoom] = "account/waiting_rooms"

// WaitingRoom queues the visitors of a host and path. Method is the queueing method, Secure the
// Secure attribute of its cookie; TurnstileMode and TurnstileAction say how it handles bots.
type WaitingRoom struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Host            string `json:"host"`
	Suspended       bool   `json:"suspended"`
	Method          string `json:"queueing_method,omitempty"`
	Secure          string `json:"cookie_secure,omitempty"`
	TurnstileMode   string `json:"turnstile_mode,omitempty"`
	TurnstileAction string `json:"turnstile_action,omitempty"`
}

// SortKey orders rooms by id.
func (r WaitingRoom) SortKey() string { return r.ID }

type waitingRoomWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Host      string `json:"host"`
	Suspended bool   `json:"suspended"`
	Method    string `json:"queueing_method"`
	Cookie    struct {
		Secure string `json:"secure"`
	} `json:"cookie_attributes"`
	TurnstileMode   string `json:"turnstile_mode"`
	TurnstileAction string `json:"turnstile_action"`
}

// waitingRooms lists the waiting rooms of all zones, which require a Business or Enterprise plan
// (developers.cloudflare.com/api/resources/waiting_rooms/methods/list/).
func waitingRooms() Source {
	return list(WaitingRooms, Source{
		Path: "/accounts/{account_id}/waiting_rooms", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Zone: Waiting Rooms Read",
		After: []string{ZoneList.Source()},
		Skip: unlessAny(ZoneList, func(z Zone) bool { return z.Plan == "business" || z.MayHave("enterprise") },
			"no zone of the account has a plan with waiting rooms"),
		Example: `[{"id":"q1","name":"checkout","host":"shop.acme.example","path":"/checkout","suspended":false,"queueing_method":"fifo",` +
			`"cookie_attributes":{"samesite":"auto","secure":"auto"},"turnstile_mode":"invisible","turnstile_action":"infinite_queue",` +
			`"custom_page_html":"drop"}]`,
	}, func(w waitingRoomWire) WaitingRoom {
		return WaitingRoom{ID: w.ID, Name: w.Name, Host: ASCII(w.Host), Suspended: w.Suspended, Method: w.Method, Secure: w.Cookie.Secure,
			TurnstileMode: w.TurnstileMode, TurnstileAction: w.TurnstileAction}
	})
}

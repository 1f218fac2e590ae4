package httpapi

import (
	"io"
	"net"
	"time"
)

// How much a rejected client may still send, and for how long. A connection that is closed with
// unread bytes is reset, and a client that is still sending then loses the response (RFC 9112,
// section 9.6).
const (
	lingerBytes = 16 << 20
	lingerFor   = 5 * time.Second
)

// lingerer accepts connections that can be closed in the middle of a message.
type lingerer struct{ net.Listener }

// Accept waits for the next connection.
func (l lingerer) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &lingering{TCPConn: tcp}, err
	}
	return c, err
}

// lingering is a connection that drains unread input before it closes.
type lingering struct {
	*net.TCPConn
	unread bool // more of the message may follow; set and read by the serving goroutine
}

// Close shuts down the sending side and then discards what still arrives, within the limits above.
func (c *lingering) Close() error {
	if c.unread && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerFor)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes) // any error ends it
	}
	return c.TCPConn.Close()
}

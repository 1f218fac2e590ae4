package httpapi

import (
	"io"
	"net"
	"time"
)

// How much a caller may still send, and for how long, after the answer that its message is
// not taken. A connection closed with bytes unread is reset, and with it the answer is lost to
// who has not read it yet (RFC 9112, section 9.6).
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

// lingering is such a connection.
type lingering struct {
	*net.TCPConn
	unread bool // the message may go on; set and read by who serves it
}

// Close ends what is sent, and takes what still comes.
func (c *lingering) Close() error {
	if c.unread && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerFor)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes) // whatever ends it
	}
	return c.TCPConn.Close()
}

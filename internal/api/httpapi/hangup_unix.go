//go:build unix

package httpapi

import (
	"errors"
	"net"
	"syscall"
)

// hungUp reports whether the peer has closed the connection. It peeks, so unread data stays in the socket.
func hungUp(c net.Conn) (closed bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return true // closed on this side
	}
	if err := raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || errors.Is(err, syscall.ECONNRESET)
	}); err != nil {
		return true
	}
	return closed
}

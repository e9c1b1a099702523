"""Telnet over TLS: the certificate, its change while the world runs, and handshakes. Imported only when it is on."""

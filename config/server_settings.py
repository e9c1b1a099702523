"""The settings of the server: ports, limits, who is let in, and what is kept and told of it."""

from __future__ import annotations

from dataclasses import dataclass

from config.declaring import setting

MEGABYTE = 1_048_576

ROLES = ("guest", "player", "builder", "admin")


@dataclass(frozen=True)
class ServerSettings:
    """config/server.md"""

    host: str = setting("127.0.0.1", "the address to listen on; 127.0.0.1 admits only this machine")
    port: int = setting(4000, "the telnet port", low=0, high=65535)
    tls_port: int = setting(0, "the port for telnet over TLS; 0 for none, -1 for any free one", low=-1, high=65535)
    tls_host: str = setting("", "the address to listen on for TLS; empty for the same as host")
    tls_certificate: str = setting("", "the file of the certificate and its chain, in PEM; empty to have one made")
    tls_key: str = setting("", "the file of the certificate's private key, in PEM, without a password")
    admin_name: str = setting("Warden", "who is made the first admin, when there is none", form=r"\S+")
    new_accounts: bool = setting(True, "whether a name that is new here can be taken by whoever gives it")
    new_role: str = setting("player", "what somebody new may do", choices=ROLES[:3])
    new_accounts_per_hour: int = setting(
        20, "how many new names can be taken from one address in an hour; 0 for any number", low=0, high=100000
    )
    guests: bool = setting(True, "whether `guest` as a name lets somebody in without a password")
    shortest_password: int = setting(6, "the fewest characters a password may have", low=1, high=100)
    password_tries: int = setting(3, "how many wrong passwords end a connection", low=1, high=100)
    idle_minutes: int = setting(
        120, "after how many minutes without a line a player is let go; 0 for never", low=0, high=10080
    )
    max_line_bytes: int = setting(4096, "the longest line that a player can send, in bytes", low=128, high=65536)
    max_output_bytes: int = setting(
        262144,
        "how much may wait for a client that does not read, in bytes, before it is dropped",
        low=16384,
        high=16777216,
    )
    max_negotiation_bytes: int = setting(
        262144,
        "how much a client may send of telnet commands between two lines, in bytes, before it is dropped",
        low=4096,
        high=16777216,
    )
    lines_per_second: int = setting(
        100,
        "how many lines of one connection are taken a second, when more come than at once; 0 for any number",
        low=0,
        high=10000,
    )
    lines_at_once: int = setting(500, "how many lines of one connection are taken at once", low=1, high=100000)
    max_connections: int = setting(500, "how many may be connected at once", low=1, high=20000)
    connections_per_address: int = setting(
        20, "how many may be connected from one address at once; 0 for any number", low=0, high=20000
    )
    connects_per_minute: int = setting(
        60, "how many connections one address may make a minute; 0 for any number", low=0, high=100000
    )
    return_seconds: int = setting(
        60, "how long somebody whose connection is lost stays where they are, in seconds", low=0, high=3600
    )
    login_seconds: int = setting(180, "how long somebody may take to come in, in seconds", low=10, high=3600)
    hostname: str = setting("", "the name under which this machine is found, for lists of worlds; empty for none")
    compression: bool = setting(True, "whether clients that ask for it are sent compressed text")
    keep_alive_seconds: int = setting(
        60,
        "after how many seconds of silence a connection is kept open by a sign of life; 0 for never",
        low=0,
        high=86400,
    )
    backups_kept: int = setting(20, "how many archives of @backup are kept, the newest; 0 keeps all", low=0, high=10000)
    shutdown_seconds: int = setting(10, "how long each stage of a shutdown may take, in seconds", low=1, high=120)
    log_format: str = setting("text", "how the log is written: to read, or JSON", choices=("text", "json"))
    log_file: str = setting("", "the file of the log, beside the vault unless it begins with /; empty for none")
    log_megabytes: int = setting(
        10, "how large the file of the log becomes before another is begun, in megabytes", low=1, high=1000
    )
    log_files_kept: int = setting(5, "how many full files of the log are kept, the newest", low=1, high=1000)
    audit_megabytes: int = setting(
        10, "how large a file of the audit log becomes before another is begun, in megabytes", low=1, high=1000
    )
    audit_files_kept: int = setting(
        100, "how many files of the audit log are kept, the newest; 0 keeps all", low=0, high=10000
    )
    log_level: str = setting("info", "what is worth a line in the log", choices=("debug", "info", "warning", "error"))
    metrics_port: int = setting(
        0, "the HTTP port for figures and health; 0 for none, -1 for any free one", low=-1, high=65535
    )
    metrics_host: str = setting(
        "127.0.0.1", "the address for figures and health; they are asked for without a password"
    )

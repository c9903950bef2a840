# SPDX-License-Identifier: Apache-2.0
"""Settings of the server, as `settings_load` reads them: NALM_ variables and one file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import ByteSize, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from nalm_server.base.outgoing.allowed import Allowed
from nalm_server.base.schemas import NAME
from nalm_server.base.sign_in_providers import Provider, ProviderName

LOCAL_URL = "http://127.0.0.1:8080"
"""Where the embedded server is by default; NALM_PUBLIC_URL says otherwise."""
CAPABILITIES = {"ipc_lock": 14, "sys_nice": 23, "perfmon": 38}
"""What an agent can use that is not root, with the kernel's numbers (capabilities(7))."""


class MailSecurity(StrEnum):
    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"
    """For a mail server on this host."""


class Settings(BaseSettings):
    """Each field is read from NALM_<FIELD>. docs/operate.md lists them, held to this class by a test."""

    model_config = SettingsConfigDict(env_prefix="NALM_", extra="ignore", frozen=True)

    state_dir: Path = Path(".nalm/server")
    """Where the SQLite database, the secret key and the local agent's token live."""
    database_url: str | None = None
    """SQLAlchemy address; None: SQLite in the state directory. PostgreSQL: postgresql+psycopg://..."""
    redis_url: str | None = None
    """redis://USER:PASSWORD@HOST:6379/0, for `serve`, `worker` and `beat`; `up` needs none."""
    worker_threads: int = Field(default=4, ge=1, le=64)
    """How much work one worker does at once."""
    static_dir: Path | None = None
    """The built page; None: nalm_server/static."""
    public_url: str | None = None
    """The address people and forges reach this server at; used in what `project add` prints."""
    agent_token: SecretStr | None = Field(default=None, min_length=32)
    """A token of scope agent made elsewhere, made known at start (compose.yaml hands it to both sides)."""
    agent_name: str | None = Field(default=None, min_length=1, max_length=128, pattern=NAME)
    """The host `agent_token` is bound to, None: any; of `up`: its own agent, None: the host's name."""
    agent_user: str | None = Field(default=None, min_length=1)
    """User that `up`, when it is root, runs its agent as; None: nalm-agent, or a number that is nobody's."""
    agent_capabilities: str = "ipc_lock,sys_nice"
    """What of root's privileges that agent keeps, with commas: of ipc_lock, sys_nice, perfmon."""
    fork_pull_requests: Literal["always", "approve", "never"] | None = None
    """The most that a project's rule may allow; None: always, and never where `up` cannot keep its agent from
    its own files."""
    agent_broker_url: SecretStr | None = None
    """Handed to agents at their registration, `{pool}` replaced by their pool:
    redis://pool-{pool}:...@host/0."""
    lease_seconds: int = Field(default=60, ge=5, le=3600)
    """A job whose agent has been silent for this long is given out again."""
    job_attempts: int = Field(default=3, ge=1, le=20)
    """A job given out this often without a result is set aside as failed."""
    webhook_bytes: ByteSize = Field(default=ByteSize(5 << 20), ge=1024)
    """Largest webhook body taken."""
    reconcile_seconds: int = Field(default=300, ge=0)
    """How often repositories are looked at for pushes whose webhook never came; 0: never."""
    git_seconds: float = Field(default=300, ge=1)
    """Longest for one clone or fetch of the server's own mirrors."""
    mirror_bytes: ByteSize = Field(default=ByteSize(4 << 30), ge=1 << 20)
    """Largest file of a mirror."""
    report_bytes: ByteSize = Field(default=ByteSize(16 << 20), ge=1024)
    """Largest run report taken, after decompression."""
    report_store: str | None = Field(default=None, pattern=r"^(/|s3://[^/]).*$")
    """Absolute directory of reports, or s3://BUCKET/PREFIX; None: `reports` in the state directory."""
    s3_endpoint: str | None = Field(default=None, pattern=r"^https?://.+$")
    """Address of an S3-compatible store; None: AWS's."""
    s3_region: str | None = None
    """Region of the bucket."""
    s3_key: str | None = None
    """Id of the access key; None: AWS's own variables, or the host's role."""
    s3_secret: SecretStr | None = None
    """Secret of the access key."""
    report_days: int = Field(default=365, ge=1, le=36_500)
    """Age at which raw reports go, where a project has no rule of its own; summaries stay."""
    log_days: int = Field(default=90, ge=1, le=36_500)
    """The same of webhook deliveries and job logs."""
    upload_bytes: ByteSize = Field(default=ByteSize(16 << 20), ge=1024)
    """Largest report or import as it comes over the wire; all other requests may have 1 MiB."""
    bodies_bytes: ByteSize = Field(default=ByteSize(64 << 20), ge=1 << 20)
    """Bodies held at once: of uploads, of webhooks, and of all other requests, so many bytes each."""
    connections: int = Field(default=2000, ge=16)
    """Connections of clients that are open at once; the next is answered 503 and closed."""
    outgoing_allow: str = ""
    """Hosts and networks of the inside that integrations may call, with commas."""
    outgoing_proxy: str | None = None
    """HTTP proxy for all calls to addresses that somebody entered; it decides then what is inside."""
    mail_server: str | None = Field(default=None, pattern=r"^[A-Za-z0-9.-]+:[0-9]{1,5}$")
    """Mail server as HOST:PORT; None: no mail is sent."""
    mail_from: str = "nalm@localhost"
    """Sender of mails."""
    mail_security: MailSecurity = MailSecurity.STARTTLS
    """How the mail server is spoken to."""
    mail_user: str | None = None
    """Name to sign in at the mail server with."""
    mail_password: SecretStr | None = None
    """Password to sign in at the mail server with."""
    metrics_token: SecretStr | None = Field(default=None, min_length=16)
    """Bearer token for /metrics; None: only callers on this host are answered."""
    rate_api: int = Field(default=3000, ge=0)
    """Requests a minute of one token, or of one address without a token; 0: no limit."""
    rate_hooks: int = Field(default=60_000, ge=0)
    """Webhooks a minute of one address; 0: no limit."""
    rate_agents: int = Field(default=6000, ge=0)
    """Requests a minute of one agent; 0: no limit."""
    cors_origins: str = ""
    """Origins of other sites whose pages may call the API with a token (never with a cookie), with commas."""
    trusted_proxies: str = ""
    """Addresses and networks, with commas, of reverse proxies whose X-Forwarded headers are believed."""
    sign_in: dict[ProviderName, Provider] = Field(default_factory=dict)
    """Forges people sign in by: JSON, the name of each with its Provider."""
    session_hours: int = Field(default=30 * 24, ge=1, le=365 * 24)
    """A sign-in ends after this at the latest."""
    session_idle_hours: int = Field(default=7 * 24, ge=1, le=365 * 24)
    """A sign-in nobody used for this long is over."""
    token_days: int = Field(default=3650, ge=1, le=3650)
    """The longest a new API token may live."""
    log_json: bool = False
    """Log lines as JSON, for collectors."""

    @field_validator("agent_capabilities")
    @classmethod
    def _known_capabilities(cls, value: str) -> str:
        unknown = {name for name in value.split(",") if name} - set(CAPABILITIES)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: expected some of {', '.join(CAPABILITIES)}")
        return value

    @field_validator("outgoing_allow")
    @classmethod
    def _hosts_and_networks(cls, value: str) -> str:
        Allowed.parse(value)
        return value

    def broker_of(self, pool: str) -> str | None:
        """Where agents of the pool find its queue."""
        url = self.agent_broker_url
        return None if url is None else url.get_secret_value().replace("{pool}", pool)

    @property
    def address(self) -> str:
        """Where people reach this server, without a slash at the end."""
        return (self.public_url or LOCAL_URL).rstrip("/")

    @property
    def resolved_database_url(self) -> str:
        """The database address, the embedded SQLite file when none is set."""
        return self.database_url or f"sqlite:///{self.state_dir.resolve() / 'nalm.db'}"

    @property
    def resolved_static_dir(self) -> Path:
        """The folder of the built page."""
        return self.static_dir or Path(__file__).parents[1] / "static"

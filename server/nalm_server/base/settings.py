# SPDX-License-Identifier: Apache-2.0
"""Settings of the server, as `settings_load` reads them: NALM_ variables and one file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import ByteSize, Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from nalm_server.base.outgoing.allowed import Allowed
from nalm_server.base.schemas import NAME
from nalm_server.base.sign_in_providers import Provider, ProviderName

LOCAL_URL = "http://127.0.0.1:8080"
"""Default address of the embedded server, unless NALM_PUBLIC_URL is set."""
CAPABILITIES = {"ipc_lock": 14, "sys_nice": 23, "perfmon": 38}
"""Capabilities that are useful to an agent that is not root, with the kernel's numbers (capabilities(7))."""


class MailSecurity(StrEnum):
    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"
    """For a mail server on this host."""


class Settings(BaseSettings):
    """Each field is read from NALM_<FIELD>. docs/operate.md lists them; a test compares both."""

    model_config = SettingsConfigDict(env_prefix="NALM_", extra="ignore", frozen=True)

    state_dir: Path = Path(".nalm/server")
    """Directory of the SQLite database, the secret key and the local agent's token."""
    host: str = Field(default="127.0.0.1", min_length=1)
    """Address to serve on."""
    port: int = Field(default=8080, ge=0, le=65535)
    """Port to serve on; 0: any free one."""
    database_url: str | None = None
    """SQLAlchemy address; None: SQLite in the state directory. PostgreSQL: postgresql+psycopg://..."""
    redis_url: str | None = None
    """redis://USER:PASSWORD@HOST:6379/0, for `serve`, `worker` and `beat`; `up` needs none."""
    worker_threads: int = Field(default=4, ge=1, le=64)
    """Number of tasks that one worker runs at once."""
    static_dir: Path | None = None
    """The built page; None: nalm_server/static."""
    public_url: str | None = None
    """The address at which people and forges reach this server; `project add` prints it."""
    agent_token: SecretStr | None = Field(default=None, min_length=32)
    """A token of scope agent from elsewhere, stored at start (compose.yaml gives it to both sides)."""
    agent_name: str | None = Field(default=None, min_length=1, max_length=128, pattern=NAME)
    """The host to which `agent_token` is bound; None: any. For `up`, its own agent; None: the host's name."""
    agent_user: str | None = Field(default=None, min_length=1)
    """User of the agent of `up`, if `up` is root; None: nalm-agent, or an unused number."""
    agent_capabilities: str = "ipc_lock,sys_nice"
    """Privileges of root that this agent keeps, with commas: of ipc_lock, sys_nice, perfmon."""
    fork_pull_requests: Literal["always", "approve", "never"] | None = None
    """The most that a project's rule may allow; None: always, or never where `up` cannot protect its own
    files from its agent."""
    agent_broker_url: SecretStr | None = None
    """Sent to agents at registration, with `{pool}` replaced by their pool:
    redis://pool-{pool}:...@host/0."""
    lease_seconds: int = Field(default=60, ge=5, le=3600)
    """After this long without a message of its agent, a job is given out again."""
    job_attempts: int = Field(default=3, ge=1, le=20)
    """A job fails after this many attempts without a result."""
    generator_busy_hours: float = Field(default=24, gt=0, le=720)
    """A job fails whose generator was in use for this long."""
    webhook_bytes: ByteSize = Field(default=ByteSize(5 << 20), ge=1024)
    """Largest accepted webhook body."""
    reconcile_seconds: int = Field(default=300, ge=0)
    """Interval of the search of repositories for pushes that no webhook reported; 0: never."""
    git_seconds: float = Field(default=300, ge=1)
    """Time limit of one clone or fetch of the server's own mirrors."""
    mirror_bytes: ByteSize = Field(default=ByteSize(4 << 30), ge=1 << 20)
    """Largest file of a mirror."""
    report_bytes: ByteSize = Field(default=ByteSize(16 << 20), ge=1024)
    """Largest accepted run report, after decompression."""
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
    """Age at which raw reports are deleted, unless the project has a rule of its own; summaries stay."""
    log_days: int = Field(default=90, ge=1, le=36_500)
    """The same for webhook deliveries and job logs."""
    upload_bytes: ByteSize = Field(default=ByteSize(16 << 20), ge=1024)
    """Largest report or import as transferred; all other requests may have 1 MiB."""
    bodies_bytes: ByteSize = Field(default=ByteSize(64 << 20), ge=1 << 20)
    """Limit of bodies in memory: this many bytes for uploads, for webhooks, and for all other requests."""
    connections: int = Field(default=2000, ge=16)
    """Maximum of open connections of clients; the next one gets 503 and is closed."""
    outgoing_allow: str = ""
    """Hosts and networks of the internal network that integrations may call, with commas."""
    outgoing_proxy: str | None = None
    """HTTP proxy for all calls to addresses that people entered; the proxy then decides what is internal."""
    mail_server: str | None = Field(default=None, pattern=r"^[A-Za-z0-9.-]+:[0-9]{1,5}$")
    """Mail server as HOST:PORT; None: no mail is sent."""
    mail_from: str = "nalm@localhost"
    """Sender of mails."""
    mail_security: MailSecurity = MailSecurity.STARTTLS
    """Encryption of the connection to the mail server."""
    mail_user: str | None = None
    """User name at the mail server."""
    mail_password: SecretStr | None = None
    """Password at the mail server."""
    metrics_token: SecretStr | None = Field(default=None, min_length=16)
    """Bearer token for /metrics; None: only callers on this host get an answer."""
    rate_api: int = Field(default=3000, ge=0)
    """Requests a minute of one token, or of one address without a token; 0: no limit."""
    rate_hooks: int = Field(default=60_000, ge=0)
    """Webhooks a minute of one address; 0: no limit."""
    rate_agents: int = Field(default=6000, ge=0)
    """Requests a minute of one agent; 0: no limit."""
    cors_origins: str = ""
    """Origins of other sites whose pages may call the API with a token (never with a cookie), with commas."""
    trusted_proxies: str = ""
    """Addresses and networks, with commas, of reverse proxies whose X-Forwarded headers are trusted."""
    sign_in: dict[ProviderName, Provider] = Field(default_factory=dict)
    """Forges for sign-in: JSON, the name of each with its Provider."""
    session_hours: int = Field(default=30 * 24, ge=1, le=365 * 24)
    """Maximum duration of a sign-in."""
    session_idle_hours: int = Field(default=7 * 24, ge=1, le=365 * 24)
    """A sign-in ends after this long without use."""
    token_days: int = Field(default=3650, ge=1, le=3650)
    """Maximum lifetime of a new API token."""
    log_json: bool = False
    """Log lines as JSON, for collectors."""

    @field_validator("host", "port", mode="before")
    @classmethod
    def _given(cls, value: object, info: ValidationInfo) -> object:
        """Kubernetes gives containers NALM_PORT=tcp://ADDRESS:PORT beside a Service named nalm."""
        if isinstance(value, str) and (value == "" or value.startswith(("tcp://", "udp://", "sctp://"))):
            return cls.model_fields[str(info.field_name)].default
        return value

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
        """Address of the pool's queue for its agents."""
        url = self.agent_broker_url
        return None if url is None else url.get_secret_value().replace("{pool}", pool)

    @property
    def address(self) -> str:
        """The address at which people reach this server, without a slash at the end."""
        return (self.public_url or LOCAL_URL).rstrip("/")

    @property
    def resolved_database_url(self) -> str:
        """The database address; the embedded SQLite file if none is set."""
        return self.database_url or f"sqlite:///{self.state_dir.resolve() / 'nalm.db'}"

    @property
    def resolved_static_dir(self) -> Path:
        """The folder of the built page."""
        return self.static_dir or Path(__file__).parents[1] / "static"

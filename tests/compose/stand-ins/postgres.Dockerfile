# SPDX-License-Identifier: Apache-2.0
FROM nalm-stand-in:base
RUN groupadd --system --gid 999 postgres \
 && useradd --system --uid 999 --gid 999 --home-dir /var/lib/postgresql --shell /bin/sh postgres \
 && apt-get update && apt-get install -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
 && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data /run/postgresql
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY postgres-entry.sh /usr/local/bin/
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["postgres-entry.sh"]

# SPDX-License-Identifier: Apache-2.0
FROM nalm-stand-in:base
RUN groupadd --system --gid 999 redis && useradd --system --uid 999 --gid 999 redis \
 && apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* \
 && install -d -o redis -g redis /data
VOLUME /data
WORKDIR /data
CMD ["redis-server"]

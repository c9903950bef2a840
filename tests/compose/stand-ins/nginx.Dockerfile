# SPDX-License-Identifier: Apache-2.0
FROM nalm-stand-in:base
RUN groupadd --system --gid 101 nginx && useradd --system --uid 101 --gid 101 nginx \
 && apt-get update && apt-get install -y --no-install-recommends nginx-light && rm -rf /var/lib/apt/lists/*
CMD ["nginx", "-g", "daemon off;"]

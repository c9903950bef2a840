# SPDX-License-Identifier: Apache-2.0
FROM nalm-stand-in:base
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv python3-pip \
 && rm -rf /var/lib/apt/lists/* && ln -s python3 /usr/bin/python

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# House rules that no ordinary linter has. Each prints violations; exits with 1 if there are any.
set -uo pipefail
shopt -s lastpipe # `rule` at the end of a pipe must set broken in this shell
cd "$(dirname "$0")/.."
broken=0

rule() { # title; offending lines on standard input
	local lines
	lines=$(cat)
	[ -z "$lines" ] && return
	printf '%s:\n%s\n' "$1" "$lines" | head -n 20
	broken=1
}

sources=('*.py' '*.c' '*.h' '*.ts' '*.tsx' '*.sh')

# Files on standard input, without empty ones, that lack a pattern in their first five lines.
without() {
	xargs -r awk -v pattern="$1" '
		FNR == 1 { if (file && !found) print file; file = FILENAME; found = 0 }
		$0 ~ pattern { found = 1 }
		found || FNR == 5 { nextfile }
		END { if (file && !found) print file }'
}

git ls-files -- "${sources[@]}" ':!web/src/shared/api/schema.d.ts' | without SPDX-License-Identifier | rule 'No SPDX licence line'

git ls-files 'reference-nf/*.'{c,h,py,sh} | without BSD-3-Clause | rule 'reference-nf is BSD-3-Clause'

# pydantic puts "Value error, " before the text of a validator.
git grep -nE "\[[\"']msg[\"']\]" -- core/nalm_core agent/nalm_agent server/nalm_server ':!core/nalm_core/text/mistakes.py' |
	rule 'The text of a mistake without message_of or words of nalm_core.text.mistakes'

git grep -nIE '\b(TODO|FIXME|XXX|HACK)\b' -- "${sources[@]}" ':!tests/house_rules.sh' | rule 'Left for later'

# Steps of a few hundredths of a second within a loop that waits for a condition are fine.
git grep -nIE 'time\.sleep\((0\.[1-9]|[1-9A-Za-z_])|waitForTimeout\(' -- 'tests/*.py' '*/tests/*.py' '*.test.ts*' |
	rule 'A sleep in a test: wait for a condition'

git grep -nIE 'pytest\.mark\.(skip|xfail)\b|\b(it|test|describe)\.(skip|only)\(' -- . ':!tests/house_rules.sh' |
	rule 'A test that does not run'

git grep -nE ':\+?\.[0-9]%\}|\{100 \*[^}]*f\} %' -- '*/nalm_*/*.py' ':!core/nalm_core/text/percents.py' |
	rule 'A figure in per cent that is not written by nalm_core.text.percents'

# A foreign key's check waits for a row that is locked whole, so that transactions in another order deadlock.
git grep -nE 'with_for_update(\(|=)' -- 'server/nalm_server/*.py' | grep -v 'key_share' | rule 'A row locked without key_share'

git grep -n 'skip_locked' -- 'server/nalm_server/*.py' ':!server/nalm_server/db/claims.py' |
	rule 'Rows claimed in another way than by db.claims'

python3 reference-nf/scripts/check_includes.py | rule 'Parts of the NF that include each other in a cycle'

grep -nE '"resolved":' web/package-lock.json | head -n 3 | rule 'package-lock.json carries download addresses'
grep -nE '://' requirements.lock | rule 'requirements.lock carries addresses'

git grep -oE '\]\([^)#: ]+[)#]' -- '*.md' | while IFS=: read -r f link; do
	link=${link:2:-1}
	[ -e "./${f%"${f##*/}"}$link" ] || echo "$f: $link"
done | rule 'A link in a document that leads nowhere'

python3 tests/anchor_rules.py | rule 'A link in a document to a heading that does not exist'

python3 tests/prose_rules.py | rule 'Words that people should not have to read twice: tests/prose_rules.py has a plain one for each'

python3 tests/code_rules.py |
	rule 'Names that the glossary does not have, a class name in many modules, or packages that are imported undeclared'

python3 tests/check_transactions.py server/nalm_server |
	rule 'Queries outside a repository, or a commit by who did not open the transaction'

# A larger folder has several subjects and should be divided.
rooms=(core agent server reference-nf tests)
git ls-files -- "${rooms[@]}" | grep -E '\.(py|c|h|ts|tsx)$' | grep -v '/__init__\.py$' | sed 's|/[^/]*$||' | sort | uniq -c |
	awk '$1 > 25 {print $2 ": " $1}' | rule 'A folder with more than 25 code files'

git ls-files 'server/nalm_server/*/__init__.py' | grep -c '^server/nalm_server/[^/]*/__init__.py$' |
	awk '$1 > 20 {print $1}' | rule 'Packages of the server, of which 20 are enough: put one into the package of its subject'

# api-reference.md is generated; the reference NF's documents are tables of its specification.
LC_ALL=C.UTF-8 git grep -nE '^.{121}' -- '*.md' ':!docs/api-reference.md' ':!reference-nf/*.md' |
	cut -c 1-120 | rule 'A line of a document over 120 characters'

# The API's description is generated, one field a line, so that its changes can be read.
git ls-files -z -- ':!server/openapi.json' | xargs -0 -r du -k 2>/dev/null | awk '$1 > 1024 {print $2, $1 " kB"}' |
	rule 'A file over 1 MB'

exit $broken

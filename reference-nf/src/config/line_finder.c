/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/line_finder.h"

/* Removes the comment and blanks on both sides, in place. */
static char *trim(char *line)
{
	line[strcspn(line, "#\r\n")] = '\0';
	while (isspace((unsigned char)*line))
		line++;
	size_t n = strlen(line);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	return line;
}

static const char *behind_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool is_section(const char *line, const char *section)
{
	size_t n = strlen(section);

	if (line[0] != '[')
		return false;
	line = behind_blanks(line + 1);
	return strncmp(line, section, n) == 0 && *behind_blanks(line + n) == ']';
}

static bool is_key(const char *line, const char *key)
{
	size_t n = strlen(key);
	if (strncmp(line, key, n) != 0)
		return false;
	while (isspace((unsigned char)line[n]))
		n++;
	return line[n] == '=';
}

uint32_t find_config_line(const char *path, const char *section, const char *key)
{
	char text[512];
	uint32_t found = 1, number = 0;
	bool here = false;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return found;
	while (fgets(text, sizeof(text), file) != NULL) {
		const char *line = trim(text);
		number++;
		if (line[0] == '[')
			here = is_section(line, section);
		else if (here && is_key(line, key))
			found = number;
	}
	fclose(file);
	return found;
}

uint32_t find_section_line(const char *path, const char *section, uint32_t which)
{
	char text[512];
	uint32_t number = 0, seen = 0;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return 1;
	while (seen < which && fgets(text, sizeof(text), file) != NULL) {
		number++;
		seen += is_section(trim(text), section);
	}
	fclose(file);
	return seen == which ? number : 1;
}

uint32_t find_bad_line(const char *path)
{
	char text[512];
	uint32_t number = 0, bad = 0;
	bool in_section = false;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return bad;
	while (fgets(text, sizeof(text), file) != NULL) {
		const char *line = trim(text);
		const char *equals = strchr(line, '=');
		number++;
		if (line[0] == '[' && strchr(line, ']') != NULL) {
			in_section = true;
		} else if (line[0] != '\0' && !(in_section && equals != NULL && equals != line && equals[1] != '\0')) {
			bad = number;
			break;
		}
	}
	fclose(file);
	return bad;
}

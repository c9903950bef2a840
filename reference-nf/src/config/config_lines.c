/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_lines.h"

/* Removes the comment, in place. */
static bool has_words(char *text)
{
	text[strcspn(text, "#\r\n")] = '\0';
	return text[strspn(text, " \t")] != '\0';
}

void config_read_lines(struct config *config, const char *section, const char *key, const char *path,
		       void (*each)(void *reader, uint32_t line, char *text), void *reader)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (file == NULL) {
		config_mistake(config, section, key, "cannot read %s: %s", path, strerror(errno));
		return;
	}
	for (uint32_t line = 1; getline(&text, &room, file) >= 0; line++)
		if (has_words(text))
			each(reader, line, text);
	if (!feof(file))
		config_mistake(config, section, key, "cannot read %s to its end: %s", path, strerror(errno));
	free(text);
	fclose(file);
}

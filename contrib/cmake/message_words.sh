#!/bin/sh
# message_words.sh DAEMON OUTPUT: writes a header with the words of all messages below DAEMON. A bug report keeps only
# these words of foreign text (daemon/ctl/bugreport/redaction.cpp). OUTPUT is not touched if nothing has changed.
set -eu
export LC_ALL=C
new=$2.new
{
    echo '// Made by contrib/cmake/message_words.sh.'
    echo '#pragma once'
    echo '#include <string_view>'
    echo 'namespace shelfd::ctl {'
    printf 'inline constexpr std::string_view message_words = R"words('
    {
        find "$1" -name '*.cpp' -exec cat {} + | grep -oE '"([^"\\]|\\.)*"'
        cat "$1/mirror/file/freshness_view.hpp"
    } | sed 's/\\./ /g' | grep -oE '[A-Za-z]{2,}' | tr A-Z a-z | sort -u | tr '\n' ' '
    echo ')words";'
    echo '}  // namespace shelfd::ctl'
} >"$new"
if cmp -s "$new" "$2"; then rm "$new"; else mv "$new" "$2"; fi

#!/bin/sh
# The same with curl, jq and sqlite3: shell.sh URL FILE
set -eu
url=$1
file=$2
body=$file.page
while [ "$url" != null ]; do
    curl -sS -H 'Authorization: Bearer bench-access' -o "$body" "$url"
    jq -r '.results[] | [.id, .url, .uuid, .name, .description, .price, .cost, .portions, .is_active, .created_date,
        .modified_date, (.category | tojson), (.tags | tojson), (.allergens | tojson), .supplier, .sku, .weight, .shelf,
        .notes, .barcode, .version, tojson] | @csv' "$body" > "$body.csv"
    sqlite3 "$file" "CREATE TABLE IF NOT EXISTS recipes (id INTEGER PRIMARY KEY, url, uuid, name, description, price,
        cost, portions, is_active, created_date, modified_date, category, tags, allergens, supplier, sku, weight, shelf,
        notes, barcode, version, raw)" ".import --csv $body.csv recipes"
    url=$(jq -r .next "$body")
done

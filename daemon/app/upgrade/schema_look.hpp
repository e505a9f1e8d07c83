// What version a mirror's file has, and whether this program would use it: read without changing anything.
#pragma once

#include "base/result.hpp"
#include "base/state/mirror_schema.hpp"
#include "mirror/file/schema.hpp"

#include <string>

namespace shelfd::app {

struct SchemaLook {
    mirror::SchemaFound found = mirror::SchemaFound::none;
    MirrorSchema version{};  // of the file; 0 unless `ours` or `newer`
    std::string min_reader;  // lowest version that may use it
    std::string made_by;     // version of shelfd that created it
};

// Neither the file nor its side files are changed or created, whether a daemon uses them or not: a file at rest is read
// as if it were on a read-only disk. Errors: those of `Database::open`; not_found if there is no file.
Result<SchemaLook> look_at_schema(const std::string& path);

}  // namespace shelfd::app

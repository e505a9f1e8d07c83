// Under which name the daemon finds the stored data of a library that is renamed.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "ctl/library/configuration_files.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// What `formerly` must say once `library` has another name: its present name, if all is kept under that; its former
// name, if the daemon has not yet carried out the rename that led to the present one. Looks at names of files only.
// Blocks. Errors: usage, if that rename is half done; permission, storage.
Result<std::string> name_of_kept(const config::Storage& storage, const config::Library& library);
// Whether there is a directory of journals or a mirror of that name. Blocks. Errors: permission, storage.
Result<bool> is_anything_of(const config::Storage& storage, const std::string& library);
// Whether the daemon has recorded that `library` took over what was kept of `name`. Blocks. Errors: permission,
// storage.
Result<bool> had_name(const config::Storage& storage, const config::Library& library, const std::string& name);
// What there is of that name, in words: "its token journals", "its mirror", "its request log". Blocks. Errors:
// permission, storage.
Result<std::vector<std::string>> kept_parts(const config::Storage& storage, const std::string& library);

// If a library has `name` as `formerly`, and its rename was carried out, removes that key; hooks then call it by its
// present name. Changes stay in memory. `but`: a library that keeps its key, "" = none. Errors: usage, if the daemon
// has not yet carried out that rename; storage, permission: that cannot be found out.
Result<void> free_former_name(ConfigurationFiles& files, const std::string& name, const std::string& but = "");

}  // namespace shelfd::ctl

#include "storage/access/access_list.hpp"

#include "storage/filesystem.hpp"

#include <fmt/format.h>

#include <acl/libacl.h>
#include <sys/acl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <type_traits>

namespace shelfd::storage {
namespace {

struct Free {
    void operator()(void* list) const { ::acl_free(list); }
};
using List = std::unique_ptr<std::remove_pointer_t<acl_t>, Free>;

acl_type_t type_of(ListKind kind)
{
    return kind == ListKind::access ? ACL_TYPE_ACCESS : ACL_TYPE_DEFAULT;
}

unsigned permissions_of(acl_entry_t entry)
{
    acl_permset_t set = nullptr;
    ::acl_get_permset(entry, &set);
    unsigned permissions = 0;
    permissions |= ::acl_get_perm(set, ACL_READ) == 1 ? may_read : 0U;
    permissions |= ::acl_get_perm(set, ACL_WRITE) == 1 ? may_write : 0U;
    permissions |= ::acl_get_perm(set, ACL_EXECUTE) == 1 ? may_enter : 0U;
    return permissions;
}

std::uint32_t id_of(acl_entry_t entry)
{
    // User and group numbers have the same type on Linux.
    const std::unique_ptr<void, Free> qualifier(::acl_get_qualifier(entry));
    return qualifier ? *static_cast<const std::uint32_t*>(qualifier.get()) : 0;
}

// False if there is no memory.
bool add(acl_t& list, acl_tag_t tag, unsigned permissions, const std::uint32_t* id = nullptr)
{
    acl_entry_t entry = nullptr;
    acl_permset_t set = nullptr;
    if (::acl_create_entry(&list, &entry) != 0 || ::acl_set_tag_type(entry, tag) != 0 ||
        (id != nullptr && ::acl_set_qualifier(entry, id) != 0) || ::acl_get_permset(entry, &set) != 0 ||
        ::acl_clear_perms(set) != 0) {
        return false;
    }
    for (const auto& [bit, perm] :
         {std::pair(may_read, ACL_READ), std::pair(may_write, ACL_WRITE), std::pair(may_enter, ACL_EXECUTE)}) {
        if ((permissions & bit) != 0 && ::acl_add_perm(set, static_cast<acl_perm_t>(perm)) != 0) {
            return false;
        }
    }
    return true;
}

// nullptr if there is no memory.
List make_list(const AccessList& wanted)
{
    constexpr int usual = 4;
    acl_t list = ::acl_init(usual + static_cast<int>(wanted.named.size()));
    if (list == nullptr) {
        return nullptr;
    }
    auto mask = wanted.group;
    bool made = add(list, ACL_USER_OBJ, wanted.owner) && add(list, ACL_GROUP_OBJ, wanted.group) &&
                add(list, ACL_OTHER, wanted.others);
    for (const auto& right : wanted.named) {
        const auto tag = right.kind == Account::Kind::user ? ACL_USER : ACL_GROUP;
        made = made && add(list, tag, right.permissions, &right.id);
        mask |= right.permissions;
    }
    made = made && (wanted.named.empty() || add(list, ACL_MASK, mask));
    List owned(list);  // acl_create_entry may have moved it
    return made ? std::move(owned) : nullptr;
}

AccessList values_of(acl_t list)
{
    AccessList values;
    unsigned mask = may_read | may_write | may_enter;
    acl_entry_t entry = nullptr;
    for (int which = ACL_FIRST_ENTRY; ::acl_get_entry(list, which, &entry) == 1; which = ACL_NEXT_ENTRY) {
        acl_tag_t tag = ACL_UNDEFINED_TAG;
        ::acl_get_tag_type(entry, &tag);
        const auto permissions = permissions_of(entry);
        switch (tag) {
        case ACL_USER_OBJ: values.owner = permissions; break;
        case ACL_GROUP_OBJ: values.group = permissions; break;
        case ACL_OTHER: values.others = permissions; break;
        case ACL_MASK: mask = permissions; break;
        case ACL_USER: values.named.push_back({Account::Kind::user, id_of(entry), permissions}); break;
        case ACL_GROUP: values.named.push_back({Account::Kind::group, id_of(entry), permissions}); break;
        default: break;
        }
    }
    values.group &= mask;
    for (auto& right : values.named) {
        right.permissions &= mask;
    }
    std::sort(values.named.begin(), values.named.end());
    return values;
}

}  // namespace

Result<AccessList> read_access(const std::string& path, ListKind kind)
{
    const List list(::acl_get_file(path.c_str(), type_of(kind)));
    if (!list) {
        return errno_error(fmt::format("cannot read the access list of {}", path), errno);
    }
    return values_of(list.get());
}

Result<void> write_access(const std::string& path, const AccessList& wanted, ListKind kind)
{
    const auto doing = fmt::format("cannot set the access list of {}", path);
    const auto list = make_list(wanted);
    if (!list) {
        return errno_error(doing, ENOMEM);
    }
    if (::acl_set_file(path.c_str(), type_of(kind), list.get()) != 0) {
        return errno_error(doing, errno);
    }
    return {};
}

Result<void> remove_default_access(const std::string& directory)
{
    if (::acl_delete_def_file(directory.c_str()) != 0 && errno != ENOTSUP) {
        return errno_error(fmt::format("cannot remove the default access list of {}", directory), errno);
    }
    return {};
}

bool lacks_access_lists(const Error& error)
{
    return error.system_errno == ENOTSUP || error.system_errno == ENOSYS;
}

std::string mount_of(const std::string& path)
{
    namespace fs = std::filesystem;
    auto place = fs::path(path).lexically_normal();
    struct stat here {};
    struct stat above {};
    while (place.has_relative_path() && ::stat(place.c_str(), &here) == 0 &&
           ::stat(place.parent_path().c_str(), &above) == 0 && here.st_dev == above.st_dev) {
        place = place.parent_path();
    }
    return place.string();
}

}  // namespace shelfd::storage

#include "ctl/doctor/sound_facts.hpp"

namespace shelfd::ctl {
namespace {

constexpr uid_t shelfd = 900;
constexpr gid_t readers = 901;
constexpr gid_t admins = 902;
constexpr dev_t first_disk = 1;
constexpr dev_t second_disk = 2;
constexpr std::uint64_t gibibyte = 1u << 30;

People people()
{
    People all;
    all.users = {{"root", 0, 0},
                 {"shelfd", shelfd, shelfd},
                 {"alice", 1000, 1000},
                 {"bob", 1001, readers},
                 {"carol", 1002, 1002}};
    all.groups = {{"root", 0, {}},
                  {"shelfd", shelfd, {}},
                  {"shelfd-read", readers, {"alice", "shelfd"}},
                  {"shelfd-admin", admins, {"carol"}},
                  {"alice", 1000, {}}};
    return all;
}

config::Configuration configuration()
{
    config::Configuration model;
    model.storage.tokens_copy = "/second/tokens";
    config::Library library;
    library.name = "antwerp";
    config::Resource recipes;
    recipes.name = "recipes";
    library.resources = std::vector<config::Resource>{recipes};
    model.libraries.push_back(library);
    return model;
}

MirrorFacts mirror()
{
    MirrorFacts facts;
    facts.library = "antwerp";
    const std::string place = "/var/lib/shelfd/mirrors/antwerp";
    facts.directory = directory_facts(place, 02750, shelfd, readers);
    facts.file = file_facts(place + "/antwerp.db", 0640, shelfd, readers);
    facts.others = {file_facts(place + "/antwerp.db-shm", 0640, shelfd, readers),
                    file_facts(place + "/antwerp.db-wal", 0640, shelfd, readers)};
    facts.used_bytes = gibibyte;
    facts.bytes_a_day = 1000;
    facts.clock_error = Duration(0);
    return facts;
}

DiskFacts disk(const std::string& path, dev_t device)
{
    DiskFacts facts;
    facts.path = path;
    facts.device = device;
    facts.bytes = 100 * gibibyte;
    facts.free_bytes = 50 * gibibyte;
    facts.inodes = 1'000'000;
    facts.free_inodes = 900'000;
    return facts;
}

}  // namespace

PathFacts directory_facts(const std::string& path, mode_t mode, uid_t uid, gid_t gid)
{
    auto facts = file_facts(path, mode, uid, gid);
    facts.kind = PathFacts::Kind::directory;
    facts.links = 3;
    return facts;
}

PathFacts file_facts(const std::string& path, mode_t mode, uid_t uid, gid_t gid, std::uint64_t bytes)
{
    PathFacts facts;
    facts.path = path;
    facts.kind = PathFacts::Kind::file;
    facts.mode = mode;
    facts.uid = uid;
    facts.gid = gid;
    facts.device = first_disk;
    facts.links = 1;
    facts.bytes = bytes;
    return facts;
}

Facts sound_facts()
{
    Facts facts;
    facts.now = *Instant::from_rfc3339("2030-01-06T06:00:00Z");
    facts.config.file = "/etc/shelfd/shelfd.toml";
    facts.config.files = {file_facts(facts.config.file, 0644, 0, 0)};
    facts.config.model = configuration();
    facts.socket = "/run/shelfd/control.sock";
    facts.socket_file = file_facts(facts.socket, 0666, shelfd, shelfd);
    facts.socket_file.kind = PathFacts::Kind::socket;
    facts.daemon.answers = true;
    facts.daemon.version = "0.1.0";
    facts.daemon.pid = 4711;
    facts.daemon.uid = shelfd;
    facts.daemon.config_file = facts.config.file;
    facts.daemon.config_loaded = facts.now - std::chrono::hours(1);
    facts.daemon.open_files = 16384;
    facts.system.kernel = "Linux 6.1";
    facts.system.sqlite = "3.40.1";
    facts.system.program = "/usr/sbin/shelfd";
    facts.system.program_version = "0.1.0";
    facts.system.clock_synchronised = true;
    facts.system.machine_id = "0123456789abcdef0123456789abcdef";
    facts.system.max_watches = 65536;
    facts.system.max_instances = 128;
    facts.system.zones = true;
    facts.system.zones_path = "/usr/share/zoneinfo";
    facts.system.systemd = true;
    facts.system.unit = "/usr/lib/systemd/system/shelfd.service";
    facts.system.writable = {"/var/lib/shelfd", "/second/tokens"};
    facts.people = people();
    facts.places = {directory_facts("/var/lib/shelfd/mirrors", 02750, shelfd, readers),
                    directory_facts("/var/lib/shelfd/tokens", 0700, shelfd, shelfd),
                    directory_facts("/second/tokens", 0700, shelfd, shelfd)};
    facts.places[2].device = second_disk;
    facts.parents_of_mirrors = {directory_facts("/", 0755, 0, 0), directory_facts("/var", 0755, 0, 0),
                                directory_facts("/var/lib", 0755, 0, 0),
                                directory_facts("/var/lib/shelfd", 0751, shelfd, shelfd)};
    facts.disks = {disk("/var/lib/shelfd/mirrors", first_disk), disk("/var/lib/shelfd/tokens", first_disk),
                   disk("/second/tokens", second_disk)};
    facts.mirrors = {mirror()};
    TokenFacts tokens;
    tokens.library = "antwerp";
    tokens.directory = directory_facts("/var/lib/shelfd/tokens/antwerp", 0700, shelfd, shelfd);
    tokens.copy_directory = directory_facts("/second/tokens/antwerp", 0700, shelfd, shelfd);
    tokens.files = {file_facts("/var/lib/shelfd/tokens/antwerp/journal.a", 0600, shelfd, shelfd)};
    facts.tokens = {tokens};
    SecretFacts secret;
    secret.used_by = "library.antwerp";
    secret.name = "/etc/shelfd/secrets/antwerp";
    secret.file = file_facts(secret.name, 0640, 0, shelfd);
    secret.parents = {directory_facts("/etc/shelfd/secrets", 0750, 0, shelfd)};
    facts.secrets = {secret};
    return facts;
}

}  // namespace shelfd::ctl

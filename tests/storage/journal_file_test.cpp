// Files, directories and locks under the token store, on the real file system.
#include "storage/file_lock.hpp"
#include "storage/filesystem.hpp"
#include "storage/posix_journal_file.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::storage {
namespace {

constexpr std::uint64_t size = 131'072;

mode_t mode_of(const std::string& path)
{
    struct stat found {};
    REQUIRE(::lstat(path.c_str(), &found) == 0);
    return found.st_mode & 07777;
}

std::vector<std::byte> bytes_of(JournalFile& file)
{
    std::vector<std::byte> bytes(size);
    REQUIRE(file.read(0, bytes));
    return bytes;
}

TEST_CASE("a directory has a journal if it has either copy")
{
    for (const char* name : journal_names) {
        CAPTURE(name);
        const ScratchDirectory scratch;
        REQUIRE_FALSE(has_journal(scratch / "antwerp"));
        std::filesystem::create_directory(scratch / "antwerp");
        REQUIRE_FALSE(has_journal(scratch / "antwerp"));
        REQUIRE(PosixJournalFile::open(journal_path(scratch / "antwerp", name), size));
        CHECK(has_journal(scratch / "antwerp"));
        CHECK(std::filesystem::exists(journals_in(scratch / "antwerp")[name == journal_names[0] ? 0 : 1]));
    }
}

TEST_CASE("a journal that a daemon uses is opened by no other, by whatever name, and again once that is closed")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "journal.a";
    auto used = PosixJournalFile::open_alone(path, size);
    REQUIRE(used);
    std::filesystem::create_hard_link(path, scratch / "linked");
    const auto refused = PosixJournalFile::open_alone(scratch / "linked", size);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind() == ErrorKind::busy);
    CHECK(refused.error().text().find("it is a hard link") != std::string::npos);
    CHECK(PosixJournalFile::open(path, size));  // to look at it
    used->reset();
    CHECK(PosixJournalFile::open_alone(scratch / "linked", size));
}

TEST_CASE("a new journal is private, whole and zero, and keeps what is written into it")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "journal.a";
    {
        auto file = PosixJournalFile::open(path, size);
        REQUIRE(file);
        REQUIRE(mode_of(path) == 0600);
        REQUIRE(std::filesystem::file_size(path) == size);
        REQUIRE(bytes_of(**file) == std::vector<std::byte>(size));
        struct stat found {};
        REQUIRE(::stat(path.c_str(), &found) == 0);
        REQUIRE(static_cast<std::uint64_t>(found.st_blocks) * 512 >= size);  // written, not merely promised
        const std::array<std::byte, 3> some = {std::byte{1}, std::byte{2}, std::byte{3}};
        REQUIRE((*file)->pwrite(size - 3, some));
        REQUIRE((*file)->sync());
    }
    auto again = PosixJournalFile::open(path, size);
    REQUIRE(again);
    REQUIRE(bytes_of(**again)[size - 1] == std::byte{3});
}

TEST_CASE("a journal that is too short is lengthened, and not one byte of it changes")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "journal.a";
    REQUIRE(PosixJournalFile::open(path, size));
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file << std::string(5000, 'x');
    }
    std::filesystem::resize_file(path, 4097);
    auto file = PosixJournalFile::open(path, size);
    REQUIRE(file);
    const auto bytes = bytes_of(**file);
    for (std::size_t i = 0; i < size; ++i) {
        REQUIRE(bytes[i] == (i < 4097 ? std::byte{'x'} : std::byte{0}));
    }
    REQUIRE(std::filesystem::file_size(path) == size);
}

TEST_CASE("a journal is not opened through a link, nor when others may read it, nor when it is no file")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "journal.a";
    REQUIRE(PosixJournalFile::open(path, size));
    ::chmod(path.c_str(), 0640);
    const auto readable = PosixJournalFile::open(path, size);
    REQUIRE_FALSE(readable);
    REQUIRE(readable.error().kind() == ErrorKind::permission);
    REQUIRE(readable.error().text().find("chmod 0600") != std::string::npos);
    std::filesystem::create_symlink(path, scratch / "link");
    const auto link = PosixJournalFile::open(scratch / "link", size);
    REQUIRE_FALSE(link);
    REQUIRE(link.error().kind() == ErrorKind::permission);
    std::filesystem::create_directory(scratch / "directory");
    REQUIRE_FALSE(PosixJournalFile::open(scratch / "directory", size));
    REQUIRE_FALSE(PosixJournalFile::open(scratch / "missing" + "/journal.a", size));
}

TEST_CASE("a write beyond what the disk gives is an error with its number, and what was there stays")
{
    const ScratchDirectory scratch;
    auto file = PosixJournalFile::open(scratch / "journal.a", size);
    REQUIRE(file);
    struct rlimit before {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto was = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const std::vector<std::byte> ones(8192, std::byte{1});
    const auto written = (*file)->pwrite(0, ones);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, was);
    REQUIRE_FALSE(written);
    REQUIRE(written.error().kind() == ErrorKind::storage);
    REQUIRE(written.error().system_errno == EFBIG);
    REQUIRE(bytes_of(**file)[8192] == std::byte{0});
}

TEST_CASE("private directories are made with their parents, and others' or open ones are refused")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "a/b/c";
    REQUIRE(make_private_directory(path));
    REQUIRE(mode_of(path) == 0700);
    REQUIRE(mode_of(scratch / "a") == 0700);
    REQUIRE(make_private_directory(path + "/"));
    ::chmod(path.c_str(), 0750);
    const auto open = make_private_directory(path);
    REQUIRE_FALSE(open);
    REQUIRE(open.error().kind() == ErrorKind::permission);
    REQUIRE(open.error().text().find("chmod 0700") != std::string::npos);
    std::ofstream(scratch / "file") << "x";
    REQUIRE_FALSE(make_private_directory(scratch / "file"));
    REQUIRE_FALSE(make_private_directory(scratch / "file/below"));
    if (::geteuid() == 0) {
        ::chmod(path.c_str(), 0700);
        REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
        const auto foreign = make_private_directory(path);
        REQUIRE_FALSE(foreign);
        REQUIRE(foreign.error().text().find("12345") != std::string::npos);
    }
}

TEST_CASE("a file system that forgets is refused unless that is waived")
{
    struct stat found {};
    if (::stat("/dev/shm", &found) != 0) {
        WARN("no tmpfs here");
        return;
    }
    const auto refused = check_durable("/dev/shm", Safety::required);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().kind() == ErrorKind::config);
    REQUIRE(refused.error().text().find("tmpfs") != std::string::npos);
    REQUIRE(refused.error().text().find("allow_unsafe") != std::string::npos);
    REQUIRE(check_durable("/dev/shm", Safety::waived));
    REQUIRE_FALSE(check_durable("/nowhere", Safety::waived));
}

TEST_CASE("a lock has one holder, who is named, and goes with the holder however it dies")
{
    const ScratchDirectory scratch;
    const auto path = scratch / "lock";
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const auto child = ::fork();
    if (child == 0) {
        const auto lock = FileLock::acquire(path);
        const char word = lock ? '+' : '-';
        [[maybe_unused]] const auto sent = ::write(ready[1], &word, 1);
        ::pause();
        ::_exit(0);
    }
    char word = 0;
    REQUIRE(::read(ready[0], &word, 1) == 1);
    REQUIRE(word == '+');
    const auto refused = FileLock::acquire(path);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().kind() == ErrorKind::busy);
    REQUIRE(refused.error().text().find("process " + std::to_string(child)) != std::string::npos);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    REQUIRE(FileLock::acquire(path));
    REQUIRE(mode_of(path) == 0600);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a lock is dropped with its object")
{
    const ScratchDirectory scratch;
    {
        const auto lock = FileLock::acquire(scratch / "lock");
        REQUIRE(lock);
        REQUIRE_FALSE(FileLock::acquire(scratch / "lock"));
    }
    REQUIRE(FileLock::acquire(scratch / "lock"));
}

}  // namespace
}  // namespace shelfd::storage

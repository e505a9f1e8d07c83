// Another process that reads in a database, and stays inside its transaction if that is wanted.
#pragma once

#include "storage/sqlite.hpp"
#include "support/catch.hpp"

#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace shelfd::storage {

// A program that opens the file, reads in it, and stays until it is told to go.
class OtherReader {
public:
    OtherReader(const std::string& file, bool inside_transaction)
    {
        REQUIRE(::pipe(ready_) == 0);
        REQUIRE(::pipe(go_) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            read(file, inside_transaction);
            ::_exit(0);
        }
        char byte = 0;
        REQUIRE(::read(ready_[0], &byte, 1) == 1);
    }
    OtherReader(const OtherReader&) = delete;
    OtherReader& operator=(const OtherReader&) = delete;
    ~OtherReader()
    {
        (void)!::write(go_[1], "x", 1);
        ::waitpid(pid_, nullptr, 0);
        for (const int end : {ready_[0], ready_[1], go_[0], go_[1]}) {
            ::close(end);
        }
    }
    pid_t pid() const { return pid_; }

private:
    void read(const std::string& file, bool inside_transaction) const
    {
        auto database = storage::Database::open(file, storage::OpenMode::read_only);
        if (database && (!inside_transaction || database->execute("BEGIN")) &&
            database->execute("SELECT count(*) FROM rows")) {
            (void)!::write(ready_[1], "x", 1);
            char byte = 0;
            (void)!::read(go_[0], &byte, 1);
        }
    }

    int ready_[2] = {-1, -1};
    int go_[2] = {-1, -1};
    pid_t pid_ = 0;
};

}  // namespace shelfd::storage

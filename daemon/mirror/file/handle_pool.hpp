// Counts the open mirrors of this process and their cached pages, and holds the connection of one of them.
#pragma once

#include "storage/sqlite.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace shelfd::mirror {

// An open mirror costs 0.4 MiB even when idle (measured: page cache, schema, statements), so most of a thousand
// libraries are closed between passes. Any thread.
class HandlePool {
public:
    // True if as many mirrors are open as may stay open: each one is then closed as soon as its use ends.
    bool is_full() const { return open_ >= most; }
    std::uint64_t open() const { return open_; }
    // Number of mirrors closed since the process began.
    std::uint64_t closed() const { return closed_; }
    // True if the open mirrors cache as many pages as they may together.
    bool caches_enough() const { return cached_bytes_ > most_cached_bytes; }

private:
    friend class PooledHandle;
    static constexpr std::uint64_t most = 32;
    // Twelve full caches. Twenty times as much saves no CPU (measured).
    static constexpr std::uint64_t most_cached_bytes = 24U << 20U;

    std::atomic<std::uint64_t> open_{0};
    std::atomic<std::uint64_t> cached_bytes_{0};
    std::atomic<std::uint64_t> closed_{0};
};

// The connection of one mirror, or none. One thread at a time, except `is_open`, which any thread may call.
class PooledHandle {
public:
    explicit PooledHandle(std::shared_ptr<HandlePool> pool) : pool_(std::move(pool)) {}
    PooledHandle(const PooledHandle&) = delete;
    PooledHandle& operator=(const PooledHandle&) = delete;
    ~PooledHandle() { reset(); }

    void take(storage::Database database)
    {
        reset();
        database_ = std::make_unique<storage::Database>(std::move(database));
        is_open_ = true;
        ++pool_->open_;
    }
    void reset()
    {
        if (database_) {
            database_.reset();
            count_cache(0);
            is_open_ = false;
            --pool_->open_;
            ++pool_->closed_;
        }
    }

    // After each use, outside a transaction. If all open mirrors together cache too much, this one caches nothing.
    void bound_cache()
    {
        if (!database_) {
            return;
        }
        count_cache(database_->cached_bytes());
        if (pool_->caches_enough()) {
            release_memory();
        }
    }
    void release_memory()
    {
        if (database_) {
            database_->release_memory();
            count_cache(database_->cached_bytes());
        }
    }

    bool is_open() const { return is_open_; }
    explicit operator bool() const { return database_ != nullptr; }
    storage::Database* get() const { return database_.get(); }
    storage::Database& operator*() const { return *database_; }
    storage::Database* operator->() const { return database_.get(); }

private:
    void count_cache(std::uint64_t bytes)
    {
        pool_->cached_bytes_ += bytes - cached_bytes_;  // modulo 2^64: also right where it shrinks
        cached_bytes_ = bytes;
    }

    std::shared_ptr<HandlePool> pool_;
    std::unique_ptr<storage::Database> database_;
    std::uint64_t cached_bytes_ = 0;  // as the pool counts it
    std::atomic<bool> is_open_{false};
};

}  // namespace shelfd::mirror

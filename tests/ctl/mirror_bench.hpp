// A verb that reads a mirror, beside a real mirror of antwerp that a test fills pass by pass.
#pragma once

#include "ctl/verb_bench.hpp"
#include "mirror/mirror.hpp"
#include "support/simulated_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct MirrorBench : VerbBench {
    explicit MirrorBench(std::vector<mirror::ResourceSpec> resources = {{.name = "outlets"}, {.name = "recipes"}});

    // A whole pass, known to be complete: the inside of an array of items.
    void load(const std::string& items, const std::string& resource = "recipes");
    // As the daemon does after a broken file: everything is made anew.
    void make_anew();
    // A statement on the file itself, for what no pass does.
    void change(const std::string& sql);
    std::string one(const std::string& sql) const;
    std::string file() const { return directory / "mirrors/antwerp/antwerp.db"; }

    std::vector<mirror::ResourceSpec> specs;
    boost::asio::io_context loop;
    SimulatedClock time{loop};
    std::unique_ptr<mirror::Mirror> mirror;

private:
    void open();
    int runs_ = 0;
};

}  // namespace shelfd::ctl

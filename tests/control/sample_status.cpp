#include "control/sample_status.hpp"

namespace shelfd::control {

ResourceStatus sample_resource(std::string name, State state)
{
    ResourceStatus resource;
    resource.name = std::move(name);
    resource.state = state;
    resource.rows = 1200;
    if (state != State::filling) {
        resource.as_of = sample_now - std::chrono::seconds(90);
        resource.proven_as_of = resource.as_of;
        resource.late_at = sample_now + std::chrono::minutes(43);
    }
    resource.next_due = sample_now + std::chrono::minutes(13);
    return resource;
}

LibraryStatus sample_library(std::string name, std::vector<ResourceStatus> resources)
{
    LibraryStatus library;
    library.name = std::move(name);
    library.origin = "https://api.example.com";
    library.library_id = "42";
    library.identity_verified = true;
    library.mirror = "/var/lib/shelfd/mirrors/" + library.name + "/" + library.name + ".db";
    library.token.state = TokenState::good;
    library.token.generation = 7;
    library.token.expires_at = sample_now + std::chrono::hours(100);
    library.token.next_refresh = sample_now + std::chrono::hours(16);
    library.budget.group = "antwerp";
    library.budget.limit = library.budget.configured = 100;
    library.budget.used = 12;
    library.budget.in_flight = 1;
    library.budget.requests = 345;
    library.budget.foreign = 7;
    library.resources = std::move(resources);
    return library;
}

Status sample_status(std::vector<LibraryStatus> libraries)
{
    Status status;
    status.version = "0.1.0";
    status.pid = 4711;
    status.now = sample_now;
    status.started = sample_now - std::chrono::hours(5);
    status.config_file = "/etc/shelfd/shelfd.toml";
    status.config_loaded = status.started;
    status.libraries = std::move(libraries);
    return status;
}

Status fresh_status()
{
    return sample_status(
        {sample_library("antwerp", {sample_resource("recipes", State::fresh), sample_resource("stock", State::fresh)}),
         sample_library("ghent", {sample_resource("recipes", State::fresh)})});
}

}  // namespace shelfd::control

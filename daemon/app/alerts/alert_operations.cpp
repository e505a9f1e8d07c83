#include "app/alerts/alert_operations.hpp"

#include <utility>

namespace shelfd::app {

void add_alert_operations(control::Operations& operations, Alerts& alerts)
{
    operations.alerts = [&alerts] { return alerts.report(); };
    operations.test_hook = [&alerts](std::string hook) { return alerts.test(std::move(hook)); };
    operations.silence = [&alerts](control::SilenceRequest request) { return alerts.silence(std::move(request)); };
    operations.status = [&alerts, status = std::move(operations.status)] {
        auto all = status();
        for (auto& notice : alerts.notices()) {
            all.notices.push_back(std::move(notice));
        }
        return all;
    };
}

}  // namespace shelfd::app

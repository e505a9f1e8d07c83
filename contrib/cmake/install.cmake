# What `cmake --install` puts where. Paths inside the unit follow the prefix given at install time, so
# `cmake --install build/release --prefix /usr` is right, whatever prefix the tree was configured with.
install(TARGETS shelfd RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(TARGETS shelfctl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# systemd looks below /usr/lib, /usr/local/lib and /lib; never in an architecture's libdir. Two units from one template:
# shelfd.service, and shelfd@NAME.service for further instances, each with its own configuration and directories.
install(CODE "set(SHELFD_UNIT_TEMPLATE [[${PROJECT_SOURCE_DIR}/systemd/shelfd.service.in]])
set(SHELFD_USER_UNIT_TEMPLATE [[${PROJECT_SOURCE_DIR}/systemd/user/shelfd.service.in]])
set(SHELFD_SBINDIR [[${CMAKE_INSTALL_SBINDIR}]])
set(SHELFD_BINDIR [[${CMAKE_INSTALL_BINDIR}]])
set(SHELFD_DOCDIR [[${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd]])")
install(CODE [[
    foreach(directory SHELFD_SBINDIR SHELFD_BINDIR SHELFD_DOCDIR)
        cmake_path(ABSOLUTE_PATH ${directory} BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
    endforeach()
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE units)
    string(APPEND units "/lib/systemd/system")
    function(install_unit name)
        message(STATUS "Installing: $ENV{DESTDIR}${units}/${name}")
        configure_file("${SHELFD_UNIT_TEMPLATE}" "$ENV{DESTDIR}${units}/${name}" @ONLY
            FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endfunction()
    set(SHELFD_CONFIG "/etc/shelfd/shelfd.toml")
    set(SHELFD_NAME "shelfd")
    set(SHELFD_INSTANCE "")
    set(SHELFD_DIRECTORIES "# Its directories come from tmpfiles.d.")
    install_unit(shelfd.service)
    set(SHELFD_CONFIG "/etc/shelfd/%i/shelfd.toml")
    set(SHELFD_NAME "shelfd-%i")
    set(SHELFD_INSTANCE " (%i)")
    # As tmpfiles.d does for shelfd.service: before the sandbox, as root.
    set(SHELFD_DIRECTORIES "ExecStartPre=+/usr/bin/install -d -o shelfd -g shelfd-read -m 2750 /var/lib/shelfd-%i/mirrors
ExecStartPre=+/usr/bin/install -d -o shelfd -g shelfd -m 0700 /var/lib/shelfd-%i/tokens")
    install_unit(shelfd@.service)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${units}/shelfd.service" "${units}/shelfd@.service")
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE user_unit)
    string(APPEND user_unit "/lib/systemd/user/shelfd.service")
    message(STATUS "Installing: $ENV{DESTDIR}${user_unit}")
    configure_file("${SHELFD_USER_UNIT_TEMPLATE}" "$ENV{DESTDIR}${user_unit}" @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${user_unit}")
]])
install(FILES systemd/sysusers.d/shelfd.conf DESTINATION lib/sysusers.d)
install(FILES systemd/tmpfiles.d/shelfd.conf DESTINATION lib/tmpfiles.d)

install(FILES README.md contrib/NEWS.md contrib/SECURITY.md DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd)
install(DIRECTORY contrib/cookbook DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd)
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd/examples FILES_MATCHING PATTERN *.toml)
install(DIRECTORY config/letters DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/shelfd)
install(DIRECTORY contrib/hooks/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd/examples/hooks
    USE_SOURCE_PERMISSIONS)
install(FILES contrib/container/compose.yaml contrib/container/kubernetes.yaml
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd/examples/container)
install(DIRECTORY contrib/prometheus contrib/grafana DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/shelfd/examples)

foreach(section 1 5 7 8)
    file(GLOB pages CONFIGURE_DEPENDS contrib/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()

# Each shell looks for a name of its own in a place of its own.
set(completion ${PROJECT_SOURCE_DIR}/contrib/completion)
install(FILES ${completion}/shelfctl.bash RENAME shelfctl
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions OPTIONAL)
install(FILES ${completion}/_shelfctl DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions OPTIONAL)
install(FILES ${completion}/shelfctl.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d OPTIONAL)

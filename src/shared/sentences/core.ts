/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const core = {
  address_not_public:
    "This address isn't on the public internet, so Casella won't open it. An owner can allow a private host when adding a web page to a folder.",
  address_with_password: "An address must not contain a user name or a password.",
  answer_too_large: "This is larger than {{count, number}} MB.",
  closed_in_data_directory:
    'Casella can\'t use "{{place}}" in its data directory. Allow it to read and write there, then try again.',
  data_moved:
    "Casella's data directory was moved or replaced while Casella was running, so nothing can be saved. Move it back, or restart Casella with the new location.",
  database_away: "The database server can't be reached. Saved data is safe. Try again later.",
  database_busy: "Another program is using Casella's database. Close it, or try again later.",
  database_disk_full: "The database server's disk is full. Ask the person who manages it to free up space.",
  database_read_only:
    "The database server doesn't accept changes at the moment. Saved data is safe. Try again later.",
  database_replaced:
    "A file of Casella's database was removed, replaced or overwritten while Casella was running, so nothing more can be saved. Check the log for what has been saved, then restart Casella.",
  database_slow: "The database takes too long to respond. Nothing was changed. Try again later.",
  directory_linked:
    "A directory in Casella's data directory was replaced by a symbolic link while Casella was running, so nothing can be saved. Put the directory back. The log says which one.",
  directory_on_other_drive:
    "A directory in Casella's data directory is now on another drive, so nothing can be saved. Mount or unmount the drive as it was before. If the change is intended, restart Casella. The log says which directory.",
  disk_full: "The disk is full. Free up space and try again.",
  file_gone: "This file is no longer in the folder.",
  local_only: "Casella is set to local only, so nothing is sent to {{host}}. {{remedy}}",
  local_only_program:
    "Casella is set to local only, and this program could connect to other computers. {{remedy}}",
  name_of_file: '"{{name}}" is the name of a file here. Choose another subfolder.',
  no_picture_there: "There is no image at this address.",
  no_server_named: "No server named {{host}} was found.",
  no_text_there: "This address returned {{type}} instead of readable text.",
  not_a_directory:
    '"{{place}}" in the data directory must be a directory. Move away what is there, then restart Casella.',
  not_absolute_address: "This is not an absolute address.",
  other_computers: "other computers",
  owner_can_allow_programs: "An owner can turn that off, or allow such programs, in Settings › Privacy.",
  owner_can_switch_off: "An owner can turn that off in Settings › Privacy.",
  path_absolute: "{{field}} must be a path inside the folder, not an absolute path.",
  path_not_unicode: "{{field}} must be valid Unicode.",
  path_too_deep: "{{field}} must not be deeper than {{count, number}} folders.",
  path_too_long: "{{field}} must not be longer than {{count, number}} characters.",
  path_with_dots: '{{field}} must not contain ".." or names made of dots and spaces.',
  path_with_drive: "{{field}} must not contain a drive.",
  path_with_empty_name: "{{field}} contains a name without any usable characters.",
  path_with_long_name: "{{field}} contains a name longer than {{count, number}} bytes.",
  path_with_nul: "{{field}} must not contain a NUL character.",
  path_with_own_name: "{{field}} contains a name that Casella reserves.",
  path_with_reserved_name: '{{field}} must not contain the reserved name "{{name}}".',
  path_with_separator: "{{field}} contains a character that some systems treat as a path separator.",
  path_without_name: "{{field}} must end with a file name.",
  picture_not_fetched: "The image can't be downloaded.",
  port_without_pages: "This port isn't used for web pages.",
  redirected_without_end: "Too many redirects.",
  secrets_damaged:
    "secrets.json in the data directory is damaged. Move it away, then enter your keys and sign in to services again.",
  server_too_slow: "The server took longer than {{count, number}} s to answer.",
  server_unreachable: "The server can't be reached, or isn't a web server.",
  shutting_down: "Casella is shutting down.",
  something_unknown: "something unknown",
  started_local_only: "It was started with --local-only. Start it without that option to change this.",
  system_refuses:
    "The operating system doesn't let Casella use a file or directory that this needs. Check its permissions and its drive. The log says which one.",
  temporary_files_closed:
    "Casella can't write temporary files. Allow it to write to tmp in its data directory, then try again.",
  too_many_open_files: "Too many files are open on this computer. Try again later.",
  too_much_waiting: "Too many requests are already waiting. Try again later.",
  web_addresses_only: "Only http and https addresses are supported.",
  stopping: "Casella is stopping. Try again when it is running.",
} as const

/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const core = {
  address_not_public: "This address isn't one of the public internet's, so it isn't fetched.",
  address_with_password: "An address must not carry a name or a password.",
  answer_too_large: "This is larger than {{count}} MB.",
  closed_in_data_directory:
    'Casella may not use "{{place}}" in its data directory. Let it read and write there, then try again.',
  data_moved:
    "Casella's data directory was moved or replaced while it runs, so nothing can be stored. Move it back, or restart Casella at its new place.",
  database_away: "The database server can't be reached. What was stored is safe; try again in a while.",
  database_busy: "Another program is using Casella's database. Close it, or try again in a while.",
  database_disk_full: "The disk of the database server is full. Whoever looks after it must make room.",
  database_read_only:
    "The database server accepts no changes now. What was stored is safe; try again in a while.",
  database_replaced:
    "A file of Casella's database was removed, replaced or written over while it runs, so nothing more can be stored. Restart Casella once its log says what is saved: it goes on with it.",
  database_slow: "The database takes too long to answer. Nothing was changed; try again in a while.",
  directory_linked:
    "A directory in Casella's data directory was replaced by a symbolic link while it runs, so nothing can be stored. Put the directory back in its place; the log says which.",
  directory_on_other_drive:
    "A directory in Casella's data directory has come to lie on another drive while it runs, so nothing can be stored. Mount or unmount the drive, so that it is as before, or restart Casella if it is to stay so; the log says which directory.",
  disk_full: "The disk is full. Make room and try again.",
  file_gone: "This file isn't in the folder any more.",
  local_only: "Casella is local-only, so nothing is sent to {{host}}. {{remedy}}",
  local_only_program:
    "Casella is local-only, and this program could reach other computers by itself. {{remedy}}",
  name_of_file: '"{{name}}" is the name of a file here. Choose another sub-folder.',
  no_picture_there: "There is no picture at this address.",
  no_server_named: "There is no server named {{host}}.",
  no_text_there: "There is no text to read there, but {{type}}.",
  not_a_directory:
    '"{{place}}" in the data directory must be a directory. Move away what is there, then restart Casella.',
  not_absolute_address: "This is not an absolute address.",
  other_computers: "other computers",
  owner_can_allow_programs: "An owner can switch that off or allow such programs under Settings, Privacy.",
  owner_can_switch_off: "An owner can switch that off under Settings, Privacy.",
  path_absolute: "{{field}} must be a path inside the folder, not an absolute one.",
  path_not_unicode: "{{field}} must be valid Unicode.",
  path_too_deep: "{{field}} must not be deeper than {{count}} folders.",
  path_too_long: "{{field}} must not be longer than {{count}} characters.",
  path_with_dots: '{{field}} must not contain ".." or names made of dots and spaces.',
  path_with_drive: "{{field}} must not name a drive.",
  path_with_empty_name: "{{field}} contains a name without any usable character.",
  path_with_long_name: "{{field}} contains a name over {{count}} bytes.",
  path_with_nul: "{{field}} must not contain a NUL character.",
  path_with_own_name: "{{field}} contains a name that Casella keeps for itself.",
  path_with_reserved_name: '{{field}} must not contain the reserved name "{{name}}".',
  path_with_separator: "{{field}} contains a character that stands for a path separator.",
  path_without_name: "{{field}} must end with the name of the file.",
  picture_not_fetched: "The picture can't be fetched.",
  port_without_pages: "No web page is at this port.",
  redirected_without_end: "The server sends from one address to the next without end.",
  secrets_damaged:
    "secrets.json in the data directory is damaged. Move it away, then enter keys and sign in to services again.",
  server_too_slow: "The server took longer than {{count}} s to answer.",
  server_unreachable: "The server can't be reached, or isn't one of the web.",
  shutting_down: "Casella is shutting down.",
  something_unknown: "something unknown",
  started_local_only: "It was started with --local-only; start it without to change that.",
  system_refuses:
    "The system doesn't let Casella use a file or a directory that this needs. Check its permissions and its drive; the log says which it is.",
  temporary_files_closed:
    "Casella can't write its temporary files. Let it write in tmp in its data directory, and try again.",
  too_many_open_files: "Too many files are open on this computer. Try again in a while.",
  too_much_waiting: "Too much is waiting for this already. Try again in a while.",
  web_addresses_only: "Only http and https addresses can be fetched.",
  stopping: "Casella is stopping. Try again when it runs.",
} as const

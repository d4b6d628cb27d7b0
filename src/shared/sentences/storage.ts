/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const storage = {
  backup_gone: "The backup isn't there any more. Make a new one.",
  backup_runs: "A backup is running. Wait for it, or stop it first.",
  checking_other: "Another backup is being checked. Wait for it first.",
  data_damaged:
    'Part of what is stored is damaged, so this backup would be useless. Keep the ones that you have, stop Casella, then run "salvage DIRECTORY".',
  database_damaged: "The database in this backup is damaged. Choose another backup.",
  directory_closed: "Casella may not write into this directory. Choose another one.",
  directory_elsewhere:
    "{{directory}} leads to another place than when backups were planned, so nothing was written or removed there. Look why, then plan them again.",
  directory_of_data:
    "Casella keeps its own data in there, and both would be lost together. Choose another directory.",
  directory_whole_path: "Write the whole path of the directory.",
  files_missing:
    "The files of the folder “{{folder}}” are missing, so nothing was backed up. Bring their directory back, or delete the folder, then back up again.",
  files_missing_in_several:
    "The files of the folder “{{folder}}” and {{count}} more are missing, so nothing was backed up. Bring their directory back, or delete the folder, then back up again.",
  held: "This came with a restored backup. An owner must first turn it on under Settings › Backup.",
  held_changed: "This has changed or is gone. Check the list again.",
  held_in_app_only: "Only an owner who is signed in to the app can decide this. API keys can't.",
  newer: "This backup was made by a newer Casella. Update Casella, then restore it.",
  no_backup: "There is no complete backup to download.",
  no_copy: "There is no such copy any more.",
  no_directory: "There is no such directory. Make it, plug its disk in, or choose another one.",
  no_owner: "This backup has no owner who may sign in, so no one could use it. Choose another backup.",
  no_room: "There isn't enough free disk space for the backup.",
  no_room_to_unpack: "There isn't enough free disk space to unpack the backup.",
  not_a_backup: "This isn't a Casella backup, or it is damaged.",
  not_written: "The backup could not be written. The log says why.",
  object_damaged: "What the object store has of this file isn't what was stored there.",
  object_gone: "The object store hasn't got the contents of this file any more.",
  objects_away: "The file storage can't be reached, or fails. Try again in a while.",
  objects_of_others:
    "The file storage belongs to another Casella. Ask the person who runs this one: its log says what to change.",
  objects_refused:
    "The file storage refuses access. Ask the person who runs this Casella: its log says what to change.",
  rows_on_server:
    "Casella's rows are on a database server, which a backup isn't put into. Restore it into a new data directory, then move its rows to an empty database.",
  target_exists: "{{target}} exists already. Choose another name.",
} as const

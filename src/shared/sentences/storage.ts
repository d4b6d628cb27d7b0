/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const storage = {
  backup_gone: "The backup no longer exists. Create a new one.",
  backup_runs: "A backup is running. Wait until it is finished, or stop it first.",
  checking_other: "Another backup is being checked. Wait until that is finished.",
  data_damaged:
    'Some stored data is damaged, so this backup would be useless. Keep your existing backups, stop Casella, then run "box salvage DIRECTORY".',
  database_damaged: "The database in this backup is damaged. Choose another backup.",
  directory_closed: "Casella can't write to this folder. Choose another one.",
  directory_elsewhere:
    "{{directory}} now leads to a different location than when you scheduled backups, so nothing was written or removed there. Check why, then save the schedule again.",
  directory_of_data:
    "This folder contains Casella's own data, so both could be lost together. Choose another folder.",
  directory_whole_path: "Enter the full path of the folder.",
  files_missing:
    "The files of the folder “{{folder}}” are missing, so no backup was created. Put them back, or delete the folder, then create the backup again.",
  files_missing_in_several:
    "The files of the folder “{{folder}}” and {{count, number}} more are missing, so no backup was created. Put them back, or delete the folders, then create the backup again.",
  held: "This came with a restored backup. An owner must first turn it on in Settings › Backup.",
  held_changed: "This has changed or no longer exists. Check the list again.",
  held_in_app_only: "Only an owner who is signed in to the app can decide this. API keys can't.",
  newer: "This backup was created by a newer version of Casella. Update Casella, then restore it.",
  no_backup: "There is no complete backup to download.",
  no_copy: "This copy no longer exists.",
  no_directory: "This folder doesn't exist. Create it, connect its disk, or choose another one.",
  no_owner: "This backup has no owner who can sign in, so no one could use it. Choose another backup.",
  no_room: "There isn't enough free disk space for the backup.",
  no_room_to_unpack: "There isn't enough free disk space to unpack the backup.",
  not_a_backup: "This isn't a Casella backup, or it is damaged.",
  not_written: "The backup couldn't be written. See the log for details.",
  object_damaged: "This file's contents in the object store aren't what was stored there.",
  object_gone: "This file's contents are missing from the object store.",
  objects_away: "The object store can't be reached, or returns errors. Try again later.",
  objects_of_others:
    "The object store belongs to another Casella. Ask the person who runs this one. The log says what to change.",
  objects_refused:
    "The object store denies access. Ask the person who runs this Casella. The log says what to change.",
  rows_on_server:
    "Casella's data is on a database server, where a backup can't be restored. Restore it into a new data directory, then move its data to an empty database.",
  target_exists: "{{target}} already exists. Choose another name.",
} as const

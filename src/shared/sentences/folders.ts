/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const folders = {
  attachments_not_shared: "The attachments of a chat can't be shared.",
  directory_missing: "The folder's directory isn't there. Connect its drive or restore it.",
  directory_replaced:
    "Another directory is where this folder's was. Connect its drive or put it back. If this is the right one, try again in a moment; a folder that is paused must be resumed first.",
  drive_missing:
    "The drive on which this belongs isn't connected, or another one is in its place. Connect it, then try again in a moment.",
  following_needs_rights: "Following a directory needs the app itself or an API key with full rights.",
  is_file: "This is a file. Give the path of a directory.",
  left_off: "This folder was left off after a restore. Choose its directory first.",
  no_access: "You have no access to this folder.",
  no_directory: "There is no such directory. Check the path, or create the directory first.",
  no_passage: "There is no such passage in this folder; its document may be newer.",
  none_such: "There is no such folder.",
  not_readable: "This directory can't be read. Check its permissions.",
  of_the_system: "This directory belongs to the system. Choose one with your own documents.",
  own_data_inside: "Casella keeps its own data in there. Choose another directory.",
  owner_only: "Only its owner may change the files of this folder.",
  not_followed: "This folder follows no directory of yours, so it has no other place.",
  path_not_absolute: "Give the absolute path of a directory.",
  remote_needs_rights:
    "Letting servers read a folder that stays here needs the app itself or an API key with full rights.",
  too_many: "There are {{count}} folders of yours already. Delete one first.",
  too_many_unasked: "There are {{count}} chats with files that were asked nothing. Ask in one of them first.",
} as const

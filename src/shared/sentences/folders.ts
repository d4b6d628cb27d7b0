/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const folders = {
  attachments_not_shared: "A chat's attachments can't be shared.",
  descriptions_need_rights:
    "Only the app or an API key with full rights can have images described by a model.",
  directory_missing: "This folder can't be found on disk. Reconnect its drive, or move it back.",
  directory_replaced:
    "A different directory is now in this folder's place. Reconnect its drive, or move it back. If this is the right one, try again in a moment. Resume the folder first if it is paused.",
  drive_missing:
    "The drive of this folder isn't connected, or another drive is in its place. Connect it, then try again in a moment.",
  following_needs_rights: "Only the app or an API key with full rights can make a folder watch a directory.",
  is_file: "This is a file. Enter the path of a folder.",
  left_off: "This folder was left off after a restore. Choose its directory first.",
  no_access: "You don't have access to this folder.",
  no_directory: "This path doesn't exist. Check it, or create the folder on disk first.",
  no_passage: "Passage not found. Its document may have changed.",
  none_such: "Folder not found. It may have been deleted, or it isn't shared with you.",
  not_readable: "Casella can't read this folder on disk. Check its permissions.",
  of_the_system: "This is a system folder. Choose a folder with your own documents.",
  own_data_inside: "This contains Casella's own data. Choose another folder.",
  owner_only: "Only the owner can change the files of this folder.",
  not_followed: "This folder doesn't watch a folder on disk, so it has no other location.",
  path_not_absolute: "Enter the full path of a folder.",
  remote_needs_rights:
    "Only the app or an API key with full rights can let remote models read a folder that stays on this computer.",
  too_many: "You already have {{count, number}} folders, which is the maximum. Delete one first.",
  too_many_unasked:
    "You have {{count, number}} chats with attachments but no messages. Send a message in one of them, or delete one.",
} as const

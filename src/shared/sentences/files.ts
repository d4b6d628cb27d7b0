/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const files = {
  changed_by_others: "Another program has just changed this file. Check it, then try again.",
  changed_since: "The file has changed since you opened it.",
  cloud_only: "This file is only in cloud storage. Download it to this computer first.",
  left_out: "This folder excludes files of this kind. Check .casellaignore, or choose another name.",
  missing_on_drive:
    "Files of this folder are missing on disk. Reconnect the drive, or confirm that they were deleted.",
  name_not_utf8:
    "The name of this file contains characters that can't be read (it isn't UTF-8), so the file can't be changed or deleted here. Rename it first.",
  no_page: "Page not found.",
  no_text_yet: "The text isn't available: the file is {{status}}.",
  no_web_page: "This file isn't a copy of a web page, so it can't be refreshed.",
  none_such: "File not found. It may have been moved or deleted.",
  not_changeable: "Casella can't change this file. Check its permissions, or close it in other programs.",
  own_data: "{{sign}} is reserved for Casella's own data. Choose another name.",
  page_not_stored: "The page was downloaded but couldn't be saved. See the log for details.",
  page_not_drawn: "This page couldn't be displayed.",
  page_not_drawn_damaged: "This page couldn't be displayed. It is damaged or too complex.",
  text_unreadable: "The stored text of this file can't be read. Re-index the file.",
  too_many_named: 'There are too many files named "{{name}}" here. Choose another name.',
  too_many_waiting: "Too many documents are waiting to be read. Try again later.",
  viewer_ended: "The process that displays pages stopped. Try again.",
} as const

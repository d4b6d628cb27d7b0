/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const notifications = {
  name_workspace: "Name the workspace you share with the recipient in the x-organization-id header.",
  no_picture: "The sender has no picture.",
  none_such: "There is no such notification.",
  not_both_members: "You and the recipient don't both belong to this workspace.",
  too_many_sent:
    "This key may send other people {{minute}} notifications a minute and {{day}} a day. Try again later.",
} as const

/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const notifications = {
  name_workspace: "Give the workspace you share with the recipient in the x-organization-id header.",
  no_picture: "The sender has no image.",
  none_such: "Notification not found. It may have been deleted.",
  not_both_members: "You and the recipient aren't both members of this workspace.",
  too_many_sent:
    "This key can send other people {{minute}} notifications per minute and {{day}} per day. Try again later.",
} as const

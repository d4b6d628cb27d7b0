import type { notifications as english } from "../../../../shared/sentences/notifications.ts"
import { translation } from "../../translation.ts"

export const notifications = translation<typeof english>()({
  name_workspace:
    "Indica nell’intestazione x-organization-id lo spazio di lavoro che condividi con il destinatario.",
  no_picture: "Il mittente non ha un’immagine.",
  none_such: "Notifica non trovata. Forse è stata eliminata.",
  not_both_members: "Tu e il destinatario non siete entrambi membri di questo spazio di lavoro.",
  too_many_sent:
    "Questa chiave può inviare ad altre persone {{minute}} notifiche al minuto e {{day}} al giorno. Riprova più tardi.",
})

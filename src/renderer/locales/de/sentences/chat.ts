import type { chat as english } from "../../../../shared/sentences/chat.ts"
import { translation } from "../../translation.ts"

export const chat = translation<typeof english>()({
  assistant_gone: "Den Assistenten @{{handle}} gibt es nicht mehr.",
  being_answered: "Dieser Chat wird noch beantwortet. Warten Sie das Ende ab, oder stoppen Sie die Antwort.",
  being_changed: "Dieser Chat wird gerade geändert. Versuchen Sie es gleich noch einmal.",
  call_answered: "Darüber wurde schon entschieden.",
  call_expired: "Das hat zu lange auf eine Entscheidung gewartet und wurde abgelehnt. Fragen Sie erneut.",
  does_not_stop:
    "Das Modell lässt sich nicht stoppen. Versuchen Sie es erneut, oder starten Sie Casella neu.",
  file_too_large: "Die Datei ist größer als {{count, number}} MB.",
  goes_on_already: "Die Antwort wird schon fortgesetzt.",
  interrupted: "Casella wurde beendet, während diese Antwort geschrieben wurde.",
  last_not_users: "Die letzte Nachricht muss die neue der fragenden Person sein.",
  message_empty: "Die neue Nachricht ist leer.",
  no_assistant_among: "Es gibt keinen Assistenten {{handle}}. Es gibt: {{all}}.",
  no_call_waits: "In diesem Chat wartet kein Aufruf mit dieser ID.",
  no_file: "Diese Datei gibt es in dem Chat nicht.",
  no_model_nor_folders:
    "Es ist kein Modell installiert. Fügen Sie eines hinzu, oder wählen Sie Ordner aus, aus denen Textstellen zitiert werden.",
  no_such_model: "Dieses Modell gibt es nicht. Lassen Sie modelId weg, damit das ausgewählte antwortet.",
  no_model_to_go_on:
    "Es ist kein Modell installiert, das diese Antwort fortsetzen könnte. Fügen Sie eines hinzu.",
  nothing_written:
    "In diesem Chat wird gerade keine Antwort geschrieben. Laden Sie den Chat, um seine Nachrichten zu sehen.",
  other_assistant: "@{{handle}} ist jetzt ein anderer Assistent, deshalb wurde die Aufgabe abgebrochen.",
  own_attachments_only: "Nur Dateien aus dem eigenen Ordner des Chats können angehängt werden.",
  stopping: "Casella wird beendet. Fragen Sie erneut, wenn es wieder läuft.",
  stays_here:
    "Dieser Chat hat einen Ordner gelesen, der auf diesem Computer bleibt. {{model}} läuft auf einem Server und darf ihn deshalb nicht lesen. Wählen Sie ein Modell auf diesem Computer.",
  tools_need_full_rights:
    "Dieser API-Schlüssel hat eingeschränkte Rechte und kann deshalb keine verbundenen Konten und Server verwenden. Lassen Sie sie in builtInTools weg.",
  too_long: "Dieser Chat ist zu lang geworden. Beginnen Sie einen neuen.",
  too_many_answers:
    "Es werden {{count, number}} Antworten geschrieben. Warten Sie, bis eine fertig ist, oder stoppen Sie eine.",
  too_many_chats: "Es gibt schon 100.000 Chats. Löschen Sie zuerst einige.",
})

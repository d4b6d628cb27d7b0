import { app } from "electron"
app.quit()

// Browsers start no web worker on a page opened from disk. There the search runs in a hidden frame instead.
// The name of this file matters: the site builder adds a script from the network where no polyfill is so called.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.onmessage = null
      this.onerror = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.ready = new Promise((done) => {
        this.frame.onload = () => this.start(new URL(url, location.href), done)
      })
      this.frame.srcdoc = "<!doctype html><title>search</title>"
      document.body.append(this.frame)
    }

    start(url, done) {
      const inside = this.frame.contentWindow
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }))
      const script = inside.document.createElement("script")
      script.onload = done
      script.onerror = (event) => this.onerror?.(event)
      script.src = url.href
      inside.document.head.append(script)
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.onmessage({ data }))
    }

    terminate() {
      this.frame.remove()
    }
  }
}

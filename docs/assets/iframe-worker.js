// The search of these pages runs in a worker. A page that is opened from a folder may start none: this class, which the
// theme looks for by its name, runs the worker's script in a hidden frame of the page instead.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.scope.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => this.run(one)), Promise.resolve());
      this.started = this.run(url);
    }

    run(url) {
      const script = this.scope.document.createElement("script");
      script.src = new URL(url, location);
      return new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
        this.scope.document.body.append(script);
      });
    }

    postMessage(data) {
      this.started.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
}

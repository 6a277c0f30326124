// A page opened from a file may not start a worker. The search then runs in a hidden frame, which
// has the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      this.ready = new Promise((resolve) => this.frame.addEventListener("load", resolve));
      this.frame.srcdoc =
        `<script>postMessage = (data) => frameElement.answer(data)</script><script src="${url}"></script>`;
      this.frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const add = () => document.body.append(this.frame);
      if (document.body) add();
      else document.addEventListener("DOMContentLoaded", add);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}

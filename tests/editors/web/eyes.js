/** Eyes for the journeys, put into the page before anything of its own. */

const shown = (selector) =>
  document.querySelector('#editors').shadowRoot.querySelectorAll(`.pane:not([hidden]) ${selector}`);

globalThis.eyes = {
  /** The text of the document on the screen; the window is high enough for all of it. */
  text: () => Array.from(shown('.cm-line'), (line) => line.textContent).join('\n'),

  /** Whether there is nothing but indentation in the line of the caret. */
  isIndented: () => /^\s+$/.test(shown('.cm-activeLine')[0]?.textContent),

  /** Where on the screen a character begins, counted in code points. */
  placeOf(line, column) {
    const row = shown('.cm-line')[line];
    const place = document.createRange();
    place.selectNodeContents(row);
    let left = [...row.textContent].slice(0, column).join('').length;
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { length } = texts.currentNode;
      if (left <= length) {
        place.setStart(texts.currentNode, left);
        break;
      }
      left -= length;
    }
    place.collapse(true);
    const box = row.textContent === '' ? row.getBoundingClientRect() : place.getBoundingClientRect();
    return [box.left, box.top + box.height / 2];
  },
};

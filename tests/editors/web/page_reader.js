/** Reads the page for the driver of the scenarios; runs in the page before its scripts. */

const shown = (selector) =>
  document.querySelector('#editors').shadowRoot.querySelectorAll(`.pane:not([hidden]) ${selector}`);

globalThis.reader = {
  /** The text of the shown document; the window is high enough for all lines. */
  text: () => Array.from(shown('.cm-line'), (line) => line.textContent).join('\n'),

  /** Whether the line of the caret contains only indentation. */
  isIndented: () => /^\s+$/.test(shown('.cm-activeLine')[0]?.textContent),

  /** The screen position of a character; the column is counted in code points. */
  placeOf(line, column) {
    const row = shown('.cm-line')[line];
    const range = document.createRange();
    range.selectNodeContents(row);
    let left = [...row.textContent].slice(0, column).join('').length;
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { length } = texts.currentNode;
      if (left <= length) {
        range.setStart(texts.currentNode, left);
        break;
      }
      left -= length;
    }
    range.collapse(true);
    const box = row.textContent === '' ? row.getBoundingClientRect() : range.getBoundingClientRect();
    return [box.left, box.top + box.height / 2];
  },
};

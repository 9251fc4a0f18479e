;;; twospeed-offer.el --- What the deep model would change  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; In the mode both, the deep answer is an offer: places of the present text,
;; each with the lines that would replace it.  The old lines of a place are
;; highlighted, and the new ones are shown below them.

;;; Code:

(require 'subr-x)
(require 'twospeed-document)

(defface twospeed-offer-lines
  '((((class color) (min-colors 88) (background light)) :background "#e6ecfa" :extend t)
    (((class color) (min-colors 88) (background dark)) :background "#1d2a45" :extend t)
    (t :inherit underline))
  "Lines that the deep answer would replace."
  :group 'twospeed)

(defface twospeed-offer-text
  '((((class color) (background light)) :inherit twospeed-offer-lines :foreground "#2f4f9f")
    (((class color) (background dark)) :inherit twospeed-offer-lines :foreground "#9db8f2")
    (t :inherit (italic twospeed-offer-lines)))
  "Lines that the deep answer would insert, shown below those it would replace."
  :group 'twospeed)

(defun twospeed-offer--note (text is-open)
  "Return the string that shows TEXT below the lines that it would replace.
IS-OPEN means that no line break is above it."
  (let ((lines (if (string-empty-p text)
                   "[🧠 would remove this]"
                 (string-remove-suffix "\n" text))))
    (concat (and is-open "\n")
            (propertize lines 'face 'twospeed-offer-text)
            (and (not is-open) (propertize "\n" 'face 'twospeed-offer-text)))))

(defun twospeed-offer--overlay (place version)
  "Return an overlay that shows PLACE of an offer for VERSION, or nil."
  (pcase (twospeed-document-places (plist-get place :range) version)
    (`(,start . ,end)
     (let ((overlay (make-overlay start end))
           (is-open (save-restriction
                      (widen)
                      (not (memq (char-before end) '(nil ?\n))))))
       (overlay-put overlay 'face 'twospeed-offer-lines)
       (overlay-put overlay 'priority -5) ; above the highlighted hunks
       (overlay-put overlay 'twospeed-hunk (plist-get place :id))
       (overlay-put overlay 'after-string
                    (twospeed-offer--note (plist-get place :newText) is-open))
       overlay))))

(defun twospeed-offer-overlays (message)
  "Show the offer in MESSAGE, and return an overlay for each of its places."
  (delq nil (mapcar (lambda (place)
                      (twospeed-offer--overlay place (plist-get message :version)))
                    (plist-get (plist-get message :offer) :hunks))))

(defun twospeed-offer-announce (icon count)
  "Say that the deep model would change COUNT places, after its ICON, and the keys."
  (message "%s" (substitute-command-keys
                 (format (concat "%s would change %d place%s: \\<twospeed-mode-map>"
                                 "\\[twospeed-take] takes all, \\[twospeed-take-place] the one"
                                 " at point, \\[twospeed-dismiss-offer] dismisses all")
                         icon count (if (= count 1) "" "s")))))

(provide 'twospeed-offer)
;;; twospeed-offer.el ends here

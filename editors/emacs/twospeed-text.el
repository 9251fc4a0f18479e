;;; twospeed-text.el --- Convert positions between Emacs and LSP  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; An LSP position is a line and a number of UTF-16 code units.  In LSP a line
;; ends with "\n", "\r\n" or "\r"; in Emacs, with "\n".  Emacs removes "\r" when
;; it reads a file, so few buffers contain it.  Only for those, lines are
;; counted with a slow search.
;;
;; All functions ignore narrowing.

;;; Code:

(require 'cl-lib)

(defun twospeed-text-fit-p (&optional string)
  "Return non-nil if STRING, or the whole buffer, is representable in JSON.
A raw byte or half of a surrogate pair is not."
  (if string
      (not (string-match-p "[^\0-\ud7ff\ue000-\U0010ffff]" string))
    (save-restriction
      (widen)
      (save-excursion
        (goto-char (point-min))
        (skip-chars-forward "\0-\ud7ff\ue000-\U0010ffff")
        (eobp)))))

(defun twospeed-text-mixed-p ()
  "Return non-nil if the buffer contains a carriage return."
  (save-restriction
    (widen)
    (save-excursion
      (goto-char (point-min))
      (and (search-forward "\r" nil t) t))))

(defun twospeed-text--units (start end)
  "Count the UTF-16 code units from START to END."
  (let ((units (- end start)))
    (save-excursion
      (goto-char start)
      (while (progn (skip-chars-forward "\0-\uffff" end) (< (point) end))
        (forward-char)
        (cl-incf units)))
    units))

(defun twospeed-text-position (&optional where)
  "Convert WHERE, by default point, to an LSP position."
  (save-restriction
    (widen)
    (save-excursion
      (goto-char (or where (point)))
      (let ((end (point)) (line 0))
        (if (twospeed-text-mixed-p)
            (progn
              (goto-char (point-min))
              (while (re-search-forward "\r\n?\\|\n" end t)
                (cl-incf line))
              (goto-char end))
          (setq line (1- (line-number-at-pos end))))
        (skip-chars-backward "^\r\n")
        (list :line line :character (twospeed-text--units (point) end))))))

(defun twospeed-text-range (start end)
  "Return the LSP range from START to END."
  (list :start (twospeed-text-position start) :end (twospeed-text-position end)))

(defun twospeed-text--goto-line (line)
  "Go to the start of LINE, counted from 0; return nil if it does not exist."
  (goto-char (point-min))
  (if (twospeed-text-mixed-p)
      (or (zerop line) (re-search-forward "\r\n?\\|\n" nil t line))
    (and (zerop (forward-line line))
         (or (zerop line) (eq (char-before) ?\n)))))

(defun twospeed-text-place (position)
  "Convert an LSP POSITION to a buffer position, nil if it does not exist."
  (save-restriction
    (widen)
    (save-excursion
      (when (twospeed-text--goto-line (plist-get position :line))
        (let ((left (plist-get position :character)))
          (while (and (> left 0) (not (memq (char-after) '(nil ?\r ?\n))))
            (cl-decf left (if (> (char-after) #xffff) 2 1))
            (forward-char))
          (and (zerop left) (point)))))))

(defun twospeed-text-places (range)
  "Convert an LSP RANGE to a cons of buffer positions, nil if one does not exist."
  (let ((start (twospeed-text-place (plist-get range :start)))
        (end (twospeed-text-place (plist-get range :end))))
    (and start end (<= start end) (cons start end))))

;;; Positions after a change

(defun twospeed-text--before-p (one other)
  "Return non-nil if position ONE is before OTHER."
  (let ((line (plist-get one :line)) (other-line (plist-get other :line)))
    (or (< line other-line)
        (and (= line other-line)
             (< (plist-get one :character) (plist-get other :character))))))

(defun twospeed-text--end-of (start text)
  "Return the position after TEXT that begins at START."
  (let ((lines (split-string text "\r\n\\|\n\\|\r")) (units 0))
    (mapc (lambda (char) (cl-incf units (if (> char #xffff) 2 1))) (car (last lines)))
    (if (cdr lines)
        (list :line (+ (plist-get start :line) (length lines) -1) :character units)
      (list :line (plist-get start :line)
            :character (+ (plist-get start :character) units)))))

(defun twospeed-text-moved (position change)
  "Return POSITION after CHANGE, an LSP content change with a range.
A position inside the replaced text moves to its start."
  (let* ((range (plist-get change :range))
         (start (plist-get range :start))
         (end (plist-get range :end)))
    (cond
     ((twospeed-text--before-p position start) position)
     ((twospeed-text--before-p position end) start)
     (t
      (let ((new-end (twospeed-text--end-of start (plist-get change :text)))
            (same-line (= (plist-get position :line) (plist-get end :line))))
        (list :line (+ (plist-get position :line)
                       (- (plist-get new-end :line) (plist-get end :line)))
              :character (if same-line
                             (+ (plist-get position :character)
                                (- (plist-get new-end :character)
                                   (plist-get end :character)))
                           (plist-get position :character))))))))

(provide 'twospeed-text)
;;; twospeed-text.el ends here

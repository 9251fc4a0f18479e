;;; twospeed-answer.el --- The answer of a refused edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows it as a diff against the text it would have replaced, and puts it
;; there all the same.  Lines are compared here: no program is run for it.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)
(require 'twospeed-document)
(require 'twospeed-review)
(require 'twospeed-server)
(require 'twospeed-text)

;;; Comparing lines

(defconst twospeed-answer--context 3
  "So many equal lines are shown above and below what differs.")

(defconst twospeed-answer--most-pairs 250000
  "With more pairs of lines than this, the lines are not compared one by one.")

(defun twospeed-answer--lines (text)
  "Give the lines of TEXT, without their ends, as a vector."
  (let ((lines (split-string text "\n")))
    (vconcat (if (equal (car (last lines)) "") (butlast lines) lines))))

(defun twospeed-answer--marked (mark lines)
  "Give a list of LINES, each behind MARK."
  (mapcar (lambda (line) (concat mark line)) lines))

(defun twospeed-answer--compare (old new)
  "Give the lines of OLD and NEW, vectors, behind their marks in a unified diff."
  (let ((most (min (length old) (length new))) (head 0) (tail 0))
    (while (and (< head most) (equal (aref old head) (aref new head)))
      (cl-incf head))
    (while (and (< tail (- most head))
                (equal (aref old (- (length old) tail 1)) (aref new (- (length new) tail 1))))
      (cl-incf tail))
    (append (twospeed-answer--marked " " (seq-take old head))
            (twospeed-answer--compare-middle (seq-subseq old head (- (length old) tail))
                                             (seq-subseq new head (- (length new) tail)))
            (twospeed-answer--marked " " (seq-subseq old (- (length old) tail))))))

(defun twospeed-answer--compare-middle (old new)
  "Give the lines of OLD and NEW, which begin and end with other ones, likewise."
  (if (> (* (length old) (length new)) twospeed-answer--most-pairs)
      (append (twospeed-answer--marked "-" old) (twospeed-answer--marked "+" new))
    (let ((common (twospeed-answer--common old new))
          (width (1+ (length new)))
          (row 0) (column 0) lines)
      (while (or (< row (length old)) (< column (length new)))
        (cond
         ((and (< row (length old)) (< column (length new))
               (equal (aref old row) (aref new column)))
          (push (concat " " (aref old row)) lines)
          (cl-incf row)
          (cl-incf column))
         ((and (< row (length old))
               (or (= column (length new))
                   (>= (aref common (+ (* (1+ row) width) column))
                       (aref common (+ (* row width) column 1)))))
          (push (concat "-" (aref old row)) lines)
          (cl-incf row))
         (t
          (push (concat "+" (aref new column)) lines)
          (cl-incf column))))
      (nreverse lines))))

(defun twospeed-answer--common (old new)
  "Count the lines that the rests of OLD and NEW have in common, for all rests.
The rests from a row and a column on are at the row times one more than the
length of NEW, plus the column."
  (let* ((width (1+ (length new)))
         (common (make-vector (* (1+ (length old)) width) 0)))
    (cl-loop for row from (1- (length old)) downto 0 do
             (cl-loop for column from (1- (length new)) downto 0
                      for place = (+ (* row width) column) do
                      (aset common place
                            (if (equal (aref old row) (aref new column))
                                (1+ (aref common (+ place width 1)))
                              (max (aref common (+ place width))
                                   (aref common (1+ place)))))))
    common))

(defun twospeed-answer--diff (name old new)
  "Give the unified diff, of one hunk, from the text OLD of a file NAME to NEW."
  (let* ((lines (twospeed-answer--compare (twospeed-answer--lines old)
                                          (twospeed-answer--lines new)))
         (differs (lambda (line) (/= (aref line 0) ?\s)))
         (start (max 0 (- (or (cl-position-if differs lines) 0) twospeed-answer--context)))
         (end (+ (or (cl-position-if differs lines :from-end t) 0) 1 twospeed-answer--context))
         (shown (seq-subseq lines start (min end (length lines))))
         (count (lambda (mark) (cl-count mark shown :key (lambda (line) (aref line 0)))))
         (equal-lines (funcall count ?\s)))
    (format "--- %s\n+++ %s (refused answer)\n@@ -%d,%d +%d,%d @@\n%s" name name
            (1+ start) (+ equal-lines (funcall count ?-))
            (1+ start) (+ equal-lines (funcall count ?+))
            (mapconcat (lambda (line) (concat line "\n")) shown ""))))

;;; Showing it

(defvar-local twospeed-answer--edit nil
  "The buffer of the document and the edit's id, a cons.")

(defvar twospeed-answer-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'twospeed-apply-anyway)
    map)
  "Keys of `twospeed-answer-mode', besides those of `diff-mode'.")

(define-derived-mode twospeed-answer-mode diff-mode "Answer"
  "The answer of a refused edit, as a diff against the text as it is."
  (setq-local diff-refine nil ; it would run a program
              diff-font-lock-syntax nil) ; it would read the file
  (setq buffer-read-only t))

(defun twospeed-answer--display (name diff &optional edit)
  "Show DIFF for a file NAME; EDIT is its document's buffer and its id, if known."
  (with-current-buffer (get-buffer-create (format "*twospeed answer: %s*" name))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert diff))
    (twospeed-answer-mode)
    (setq twospeed-answer--edit edit
          header-line-format (if edit
                                 " q closes this; y puts the answer into the text, to be reviewed"
                               " q closes this"))
    (goto-char (point-min))
    (pop-to-buffer (current-buffer))))

(defun twospeed-answer--take (server shown)
  "Show SHOWN, the result of the command `twospeed.showAnswer' of SERVER."
  (let ((buffer (twospeed-server-buffer server (plist-get shown :uri))))
    (with-current-buffer (or buffer (current-buffer))
      (if-let ((places (and buffer
                            (eql (plist-get shown :version) (twospeed-document-sync))
                            (twospeed-text-places (plist-get shown :range)))))
          (let ((name (file-name-nondirectory buffer-file-name)))
            (twospeed-answer--display
             name
             (concat (twospeed-answer--remark (plist-get shown :message))
                     (twospeed-answer--diff-at name places (plist-get shown :text)))
             (cons buffer (plist-get shown :editId))))
        (message "twospeed: the text has changed since that edit ended; ask again where it is now")))))

(defun twospeed-answer--diff-at (name places text)
  "Give the diff of the buffer, of a file NAME, with TEXT between PLACES, a cons."
  (save-restriction
    (widen)
    (twospeed-answer--diff
     name
     (buffer-substring-no-properties (point-min) (point-max))
     (concat (buffer-substring-no-properties (point-min) (car places))
             text
             (buffer-substring-no-properties (cdr places) (point-max))))))

(defun twospeed-answer--remark (message)
  "Give MESSAGE, what the model wrote beside its code, as lines above a diff."
  (mapconcat (lambda (line) (format "# %s\n" line))
             (and message (split-string message "\n")) ""))

(defun twospeed-answer-show (server &optional id)
  "Show the answer of the refused edit ID of SERVER, or of its newest edit."
  (twospeed-server-request server 'workspace/executeCommand
                           (list :command "twospeed.showAnswer"
                                 :arguments (if id (vector id) []))
                           (lambda (shown) (twospeed-answer--take server shown))))

(defun twospeed-answer--newest ()
  "Give the id of the newest refused edit of the buffer, nil if none is known."
  (when-let ((edit (twospeed-review-find
                    (lambda (edit) (equal (twospeed-review-outcome edit) "refused")))))
    (twospeed-review-id edit)))

(defun twospeed-show-answer ()
  "Show the newest answer that was refused here, as a diff against the text."
  (interactive)
  (let ((server (twospeed-server-here)))
    (twospeed-document-sync)
    (twospeed-answer-show server (twospeed-answer--newest))))

;;; Putting it in

(defun twospeed-apply-anyway ()
  "Put the newest answer that was refused into the text, to be reviewed.
In a buffer that shows such an answer, it is that one."
  (interactive)
  (pcase-let ((`(,buffer . ,id) (or twospeed-answer--edit
                                    (cons (current-buffer) (twospeed-answer--newest)))))
    (unless (buffer-live-p buffer)
      (user-error "That document is closed"))
    (when twospeed-answer--edit
      (quit-window t))
    (with-current-buffer buffer
      (let ((server (twospeed-server-here)))
        (twospeed-document-sync)
        (apply #'twospeed-server-execute server "applyAnyway" (and id (list id)))))))

;;; Diffs that the server writes itself

;; It asks for them to be opened where the answer was asked for in a question.
(defun twospeed-answer--open (_server params)
  "Answer the PARAMS of `window/showDocument'."
  (let ((file (twospeed-answer--file (plist-get params :uri))))
    (lambda (answer)
      (funcall answer
               (if (not (and file (file-readable-p file)))
                   '(:success :json-false)
                 (twospeed-answer--display
                  (file-name-nondirectory file)
                  (with-temp-buffer
                    (insert-file-contents file)
                    (buffer-string)))
                 '(:success t))))))

(defun twospeed-answer--file (uri)
  "Give the file of URI, nil if it is of another kind."
  (let ((parsed (url-generic-parse-url uri)))
    (when (equal (url-type parsed) "file")
      (let ((path (decode-coding-string (url-unhex-string (url-filename parsed)) 'utf-8)))
        (if (eq system-type 'windows-nt) (string-remove-prefix "/" path) path)))))

(twospeed-server-on 'window/showDocument #'twospeed-answer--open)

(provide 'twospeed-answer)
;;; twospeed-answer.el ends here

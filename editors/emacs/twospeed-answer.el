;;; twospeed-answer.el --- The answer of a refused edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Shows the answer as a diff against the text that it would replace, or
;; applies it anyway.  The diff is computed here, without another program.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'subr-x)
(require 'twospeed-document)
(require 'twospeed-review)
(require 'twospeed-server)
(require 'twospeed-text)

;;; Comparing lines

(defconst twospeed-answer--context 3
  "Number of equal lines to show above and below the differences.")

(defconst twospeed-answer--most-pairs 250000
  "Maximum product of line counts for which single lines are compared.")

(defun twospeed-answer--lines (text)
  "Return the lines of TEXT, without their ends, as a vector."
  (let ((lines (split-string text "\n")))
    (vconcat (if (equal (car (last lines)) "") (butlast lines) lines))))

(defun twospeed-answer--marked (mark lines)
  "Return LINES as a list, each with the prefix MARK."
  (mapcar (lambda (line) (concat mark line)) lines))

(defun twospeed-answer--compare (old new)
  "Return the lines of a unified diff of OLD and NEW, vectors of lines."
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
  "Return the diff lines of OLD and NEW, without common lines at both ends."
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
  "Return a table with the lengths of the longest common subsequences.
The entry for the rest of OLD from a row on, and the rest of NEW from a
column on, is at index row * (length of NEW + 1) + column."
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
  "Return a unified diff of one hunk from OLD to NEW, texts of a file NAME."
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
  "The buffer of the document and the id of the edit, a cons.")

(defvar twospeed-answer-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'twospeed-apply-anyway)
    map)
  "Keys of `twospeed-answer-mode', in addition to those of `diff-mode'.")

(define-derived-mode twospeed-answer-mode diff-mode "Answer"
  "The answer of a refused edit, as a diff against the current text."
  (setq-local diff-refine nil ; it would run a program
              diff-font-lock-syntax nil) ; it would read the file
  (setq buffer-read-only t))

(defun twospeed-answer--display (name diff &optional edit)
  "Show DIFF for a file NAME.
EDIT, if known, is a cons of the document's buffer and the edit's id."
  (with-current-buffer (get-buffer-create (format "*twospeed answer: %s*" name))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert diff))
    (twospeed-answer-mode)
    (setq twospeed-answer--edit edit
          header-line-format (if edit
                                 " q: close   y: apply the answer, for review"
                               " q: close"))
    (goto-char (point-min))
    (pop-to-buffer (current-buffer))))

(defun twospeed-answer--show-result (server shown)
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
        (message "twospeed: %s"
                 "the text has changed since that edit ended; repeat it for a new answer")))))

(defun twospeed-answer--diff-at (name places text)
  "Return a diff of the buffer of a file NAME, with TEXT at PLACES, a cons."
  (save-restriction
    (widen)
    (twospeed-answer--diff
     name
     (buffer-substring-no-properties (point-min) (point-max))
     (concat (buffer-substring-no-properties (point-min) (car places))
             text
             (buffer-substring-no-properties (cdr places) (point-max))))))

(defun twospeed-answer--remark (message)
  "Return MESSAGE, which the model wrote outside its code, as comment lines."
  (mapconcat (lambda (line) (format "# %s\n" line))
             (and message (split-string message "\n")) ""))

(defun twospeed-answer-show (server &optional id)
  "Show the answer of the refused edit ID of SERVER, or of its newest edit."
  (twospeed-server-request server 'workspace/executeCommand
                           (list :command "twospeed.showAnswer"
                                 :arguments (if id (vector id) []))
                           (lambda (shown) (twospeed-answer--show-result server shown))))

(defun twospeed-answer--newest ()
  "Return the id of the newest refused edit of the buffer, or nil."
  (when-let ((edit (twospeed-review-find
                    (lambda (edit) (equal (twospeed-review-outcome edit) "refused")))))
    (twospeed-review-id edit)))

(defun twospeed-show-answer ()
  "Show the newest refused answer of the buffer, as a diff against the text."
  (interactive)
  (let ((server (twospeed-server-here)))
    (twospeed-document-sync)
    (twospeed-answer-show server (twospeed-answer--newest))))

;;; Applying it

(defun twospeed-apply-anyway ()
  "Apply the newest refused answer of the buffer, as an edit in review.
In a buffer that shows a refused answer, apply that one."
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

;;; Files that the server writes

;; A diff, if the user chose the answer in a question, or the output of a
;; verification, which must not take the keys that the user types.
(defun twospeed-answer--open (_server params)
  "Handle `window/showDocument' with PARAMS."
  (let ((file (twospeed-document-file (plist-get params :uri))))
    (lambda (answer)
      (funcall answer
               (if (not (and file (file-readable-p file)))
                   '(:success :json-false)
                 (funcall (if (eq (plist-get params :takeFocus) t)
                              #'twospeed-answer--display
                            #'twospeed-answer--display-output)
                          (file-name-nondirectory file)
                          (with-temp-buffer
                            (insert-file-contents file)
                            (buffer-string)))
                 '(:success t))))))

(defun twospeed-answer--display-output (name output)
  "Show OUTPUT of commands, from a file NAME, in a window that is not selected."
  (with-current-buffer (get-buffer-create (format "*twospeed: %s*" name))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert output))
    (special-mode)
    (goto-char (point-min))
    (display-buffer (current-buffer))))

(twospeed-server-on 'window/showDocument #'twospeed-answer--open)

(provide 'twospeed-answer)
;;; twospeed-answer.el ends here

;;; twospeed-decide.el --- The commands for edits in review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands that accept and reject an edit or one of its hunks, that take or
;; dismiss what the deep model would change, and that go from one to the next.

;;; Code:

(require 'seq)
(require 'twospeed-document)
(require 'twospeed-review)
(require 'twospeed-server)

(defun twospeed--reviewed-edit ()
  "Return the edit in review at point, or the newest one of the buffer."
  (or (twospeed-review-find #'twospeed-review-open-p)
      (user-error "There is no edit in review in this buffer")))

;;; Accepting and rejecting

(defun twospeed--decide (action)
  "Apply ACTION to the edit at point, or to the newest one.
If no edit is known, let the server find one or report that there is none."
  (let ((server (twospeed-server-here))
        (edit (twospeed-review-find #'twospeed-review-open-p)))
    (twospeed-document-sync)
    (if edit
        (twospeed-review-decide server edit action)
      (twospeed-server-execute server action))))

(defun twospeed-accept ()
  "Accept the edit at point, or the newest one."
  (interactive)
  (twospeed--decide "accept"))

(defun twospeed-reject ()
  "Reject the edit at point, or the newest one.
Changes that you have made since stay."
  (interactive)
  (twospeed--decide "reject"))

(defun twospeed--decide-here (action of)
  "Apply ACTION to the hunk or place at point.
OF is `twospeed-review-hunks' or `twospeed-review-offered'."
  (let ((server (twospeed-server-here)))
    (pcase-let ((`(,edit . ,hunk) (or (twospeed-review-here of)
                                      (user-error "There is nothing to %s at point" action))))
      (twospeed-review-decide server edit action hunk))))

(defun twospeed-accept-hunk ()
  "Accept the hunk at point."
  (interactive)
  (twospeed--decide-here "accept" #'twospeed-review-hunks))

(defun twospeed-reject-hunk ()
  "Reject the hunk at point."
  (interactive)
  (twospeed--decide-here "reject" #'twospeed-review-hunks))

;;; What the deep model would change

(defun twospeed--decide-offer (action)
  "Apply ACTION to the offer of the edit at point, or of the newest one."
  (let ((server (twospeed-server-here)))
    (twospeed-review-decide server
                            (or (twospeed-review-find #'twospeed-review-offered)
                                (user-error "There is nothing to %s in this buffer" action))
                            action)))

(defun twospeed-take ()
  "Change all places that the deep model would change, as one undo step."
  (interactive)
  (twospeed--decide-offer "take"))

(defun twospeed-dismiss-offer ()
  "Leave all places as they are that the deep model would change."
  (interactive)
  (twospeed--decide-offer "dismiss"))

(defun twospeed-take-place ()
  "Change the place at point as the deep model would."
  (interactive)
  (twospeed--decide-here "take" #'twospeed-review-offered))

(defun twospeed-dismiss-place ()
  "Leave the place at point as it is, which the deep model would change."
  (interactive)
  (twospeed--decide-here "dismiss" #'twospeed-review-offered))

;;; Moving and showing

(defun twospeed-next-hunk (&optional backward)
  "Go to the next hunk of an edit in review; if BACKWARD, to the previous one.
Stop at the places too that the deep model would change."
  (interactive)
  (let* ((starts (sort (mapcar #'overlay-start
                               (seq-mapcat #'twospeed-review-overlays
                                           '(twospeed-review-hunks twospeed-review-offered)))
                       #'<))
         (place (if backward
                    (seq-find (lambda (start) (< start (point))) (reverse starts))
                  (seq-find (lambda (start) (> start (point))) starts))))
    (unless place
      (user-error "There is no hunk %s" (if backward "above" "below")))
    (push-mark nil t)
    (goto-char place)))

(defun twospeed-previous-hunk ()
  "Go to the previous hunk of an edit in review."
  (interactive)
  (twospeed-next-hunk t))

(defun twospeed-show-removed ()
  "Show or hide the lines that edits in review have removed."
  (interactive)
  (twospeed-review-toggle-removed))

(provide 'twospeed-decide)
;;; twospeed-decide.el ends here
